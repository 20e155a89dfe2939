/** A box of an MP4 or QuickTime file, in a buffer. */
export interface Box {
  name: string
  /** Its content. */
  content: Buffer
}

/** Boxes that hold others, wherever they are. */
const INTO = new Set(['trak', 'mdia', 'minf', 'stbl', 'mvex', 'traf', 'udta', 'edts', 'dinf', 'wave'])

/** The size of the box whose head is at `at`, and of its head; null where there is none. `rest` is for one that leaves it open. */
export function readBoxSize(bytes: Buffer, at: number, rest: number): { size: number; head: number } | null {
  if (at + 8 > bytes.length) return null
  const told = bytes.readUInt32BE(at)
  if (told === 1 && at + 16 > bytes.length) return null
  const head = told === 1 ? 16 : 8
  const size = told === 0 ? rest : told === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : told
  return size >= head ? { size, head } : null
}

/** The boxes that follow one another in `bytes`; the last one may be cut off. */
export function* boxesOf(bytes: Buffer): Generator<Box> {
  let at = 0
  for (;;) {
    const read = readBoxSize(bytes, at, bytes.length - at)
    if (!read) return
    yield { name: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + read.head, at + read.size) }
    at += read.size
  }
}

/** All boxes of these names in `bytes`, however deep in boxes that hold others; what is found is not looked into. */
export function findBoxes(bytes: Buffer, names: readonly string[], depth = 0): Box[] {
  const found: Box[] = []
  for (const box of boxesOf(bytes)) {
    if (names.includes(box.name)) found.push(box)
    else if (INTO.has(box.name) && depth < 8) found.push(...findBoxes(box.content, names, depth + 1))
  }
  return found
}
