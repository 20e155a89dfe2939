/** What a promise comes to; after so many milliseconds, what `late` answers or throws instead. The promise itself goes on. */
export function inTime<T, Late>(promise: Promise<T>, ms: number, late: () => Late): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(late())
      } catch (error) {
        reject(error)
      }
    }, ms)
    promise.then(
      (value) => {
        clearTimeout(timer)
        resolve(value)
      },
      (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
