// Loaded into a gateway before its own modules: its wall clock is as far off as a file says, in milliseconds, and
// follows the file within a moment. The monotonic clock stays what it is, as with a clock that was set.
import { readFileSync } from 'node:fs'

const file = process.env.CHAOS_CLOCK ?? ''
const Real = Date
let offMs = 0

function read(): void {
  try {
    offMs = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    // No file: the clock is right.
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
