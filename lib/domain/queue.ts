/** How many may wait, and what is thrown at whoever comes when so many do. */
interface Bound {
  waiting: number
  refuse: () => Error
}

/** Runs a few tasks at once, and the others in the order in which they came; however many wait unless it is bounded. */
export function queueOf(atOnce: number, bound?: Bound): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (task) => {
    if (running >= atOnce) {
      if (bound && waiting.length >= bound.waiting) throw bound.refuse()
      // Whoever finishes hands its place over, so `running` stays as it is.
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
