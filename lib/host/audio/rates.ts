/** More samples per second than any speech has. A file that claims more is measured with this rate. */
const MAX_RATE = 384_000
/** Fewer samples per second than any intelligible speech has. */
export const MIN_RATE = 8000

/** The rate with which a file is measured if it claims `rate`. */
export const clampRate = (rate: number): number => Math.min(rate, MAX_RATE)
