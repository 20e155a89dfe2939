/** Recently formatted times, to the second. */
const textBySecond = new Map<number, string>()
const MAX_CACHED_SECONDS = 256

/**
 * Formats a time of years 0 to 9999 like toISOString(). Most times share a second with an earlier one, which is not formatted
 * again.
 */
export function formatIsoTime(time: Date): string {
  const ms = time.getTime()
  const second = Math.floor(ms / 1000)
  let text = textBySecond.get(second)
  if (text === undefined) {
    if (textBySecond.size >= MAX_CACHED_SECONDS) textBySecond.clear()
    // Up to the decimal point. Throws a RangeError if the time is invalid.
    text = new Date(second * 1000).toISOString().slice(0, 20)
    textBySecond.set(second, text)
  }
  const rest = ms - second * 1000
  return `${text}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
}
