/**
 * A time of a transcript in minutes, seconds and tenths: `1:04.6`. Computed in whole tenths, because 4.6 % 1 is slightly below
 * 0.6.
 */
export function cueTime(seconds: number): string {
  const tenths = Math.max(0, Math.round(seconds * 10))
  return `${Math.floor(tenths / 600)}:${String(Math.floor(tenths / 10) % 60).padStart(2, '0')}.${tenths % 10}`
}
