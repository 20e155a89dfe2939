/** Resolves like the promise or, after `ms` milliseconds, to what `onTimeout` returns or throws. The promise itself continues. */
export function withTimeout<T, Fallback>(promise: Promise<T>, ms: number, onTimeout: () => Fallback): Promise<T | Fallback> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(onTimeout())
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
