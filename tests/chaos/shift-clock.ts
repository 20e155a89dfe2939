// Loaded into a gateway before its own modules. Its wall clock is off by as many milliseconds as a file says, and follows the
// file within a moment. The monotonic clock is unchanged, as when a clock is set.
import { readFileSync } from 'node:fs'

const file = process.env.CHAOS_CLOCK ?? ''
const RealDate = Date
let offsetMs = 0

function readOffset(): void {
  try {
    offsetMs = Number(readFileSync(file, 'utf8')) || 0
  } catch {
    // Without the file the clock is right.
  }
}

class ShiftedDate extends RealDate {
  constructor(...args: unknown[]) {
    if (args.length === 0) super(RealDate.now() + offsetMs)
    else super(...(args as [string]))
  }

  static override now(): number {
    return RealDate.now() + offsetMs
  }
}

readOffset()
setInterval(readOffset, 100).unref()
globalThis.Date = ShiftedDate as DateConstructor
