/** The seconds of times that were written lately. */
const seconds = new Map<number, string>()
const MOST_SECONDS = 256

/** A time as toISOString() writes it, of years 0 to 9999. Most are of a second that was written before, which is not worked out again. */
export function isoTime(time: Date): string {
  const ms = time.getTime()
  const second = Math.floor(ms / 1000)
  let text = seconds.get(second)
  if (text === undefined) {
    if (seconds.size >= MOST_SECONDS) seconds.clear()
    // Up to the point; throws RangeError where it is no time.
    text = new Date(second * 1000).toISOString().slice(0, 20)
    seconds.set(second, text)
  }
  const rest = ms - second * 1000
  return `${text}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z`
}
