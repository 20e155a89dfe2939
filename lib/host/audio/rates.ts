/** More samples a second than any sound has that is sent to be understood: a file that names more is not measured by it. */
const MOST_RATE = 384_000
/** Fewer than any has that can be understood. */
export const LEAST_RATE = 8000

/** The rate that a file is measured by, where it names this one. */
export const saneRate = (rate: number): number => Math.min(rate, MOST_RATE)
