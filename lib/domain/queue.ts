/** How many tasks may wait, and the error for a task that comes when the queue is full. */
interface QueueLimit {
  waiting: number
  createError: () => Error
}

/** Runs up to `concurrency` tasks at the same time and the others in order of arrival. Without `limit`, any number may wait. */
export function createQueue(concurrency: number, limit?: QueueLimit): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (task) => {
    if (running >= concurrency) {
      if (limit && waiting.length >= limit.waiting) throw limit.createError()
      // A task that ends hands over its place, so `running` stays as it is.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await task()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
