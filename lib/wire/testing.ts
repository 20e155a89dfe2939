import { eventEnd } from './sse.ts'

/** Each event in a run of whole events, as its own bytes; for tests. */
export function* eventsIn(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length; ) {
    const end = eventEnd(bytes, start)
    yield bytes.subarray(start, end)
    start = end
  }
}
