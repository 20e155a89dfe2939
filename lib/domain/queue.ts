/** How many tasks may wait, and the error for a task that comes when the queue is full. */
interface Bound {
  waiting: number
  refuse: () => Error
}

/** Runs up to `atOnce` tasks at the same time and the others in order of arrival. Without `bound`, any number may wait. */
export function queueOf(atOnce: number, bound?: Bound): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (task) => {
    if (running >= atOnce) {
      if (bound && waiting.length >= bound.waiting) throw bound.refuse()
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
