// Loaded into a gateway before its own modules. Its wall clock is off by as many milliseconds as a file says, and follows the
// file within a moment. The monotonic clock is unchanged, as when a clock is set.
import { readFileSync } from 'node:fs'

const file = process.env.CHAOS_CLOCK ?? ''
const Real = Date
let offMs = 0

function read(): void {
  try {
    offMs = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    // Without the file the clock is right.
  }
}

class Shifted extends Real {
  constructor(...given: unknown[]) {
    if (given.length === 0) super(Real.now() + offMs)
    else super(...(given as [string]))
  }

  static override now(): number {
    return Real.now() + offMs
  }
}

read()
setInterval(read, 100).unref()
globalThis.Date = Shifted as DateConstructor
