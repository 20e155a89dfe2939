/** A box of an MP4 or QuickTime file, in a buffer. */
export interface Box {
  name: string
  /** The bytes inside the box. */
  content: Buffer
}

/** Boxes that contain others, wherever they appear. */
const CONTAINER_BOXES = new Set(['trak', 'mdia', 'minf', 'stbl', 'mvex', 'traf', 'udta', 'edts', 'dinf', 'wave'])

/**
 * The size of the box whose header is at `at`, and of that header. Null if there is none. A box of open size takes `rest` bytes.
 */
export function readBoxSize(bytes: Buffer, at: number, rest: number): { size: number; head: number } | null {
  if (at + 8 > bytes.length) return null
  const declaredSize = bytes.readUInt32BE(at)
  if (declaredSize === 1 && at + 16 > bytes.length) return null
  const head = declaredSize === 1 ? 16 : 8
  const size = declaredSize === 0 ? rest : declaredSize === 1 ? Number(bytes.readBigUInt64BE(at + 8)) : declaredSize
  return size >= head ? { size, head } : null
}

/** The consecutive boxes in `bytes`. The last one may be truncated. */
export function* boxesOf(bytes: Buffer): Generator<Box> {
  let at = 0
  for (;;) {
    const read = readBoxSize(bytes, at, bytes.length - at)
    if (!read) return
    yield { name: bytes.toString('latin1', at + 4, at + 8), content: bytes.subarray(at + read.head, at + read.size) }
    at += read.size
  }
}

/** All boxes with these names in `bytes`, at any depth in boxes that contain others, but not inside those found. */
export function findBoxes(bytes: Buffer, names: readonly string[], depth = 0): Box[] {
  const found: Box[] = []
  for (const box of boxesOf(bytes)) {
    if (names.includes(box.name)) found.push(box)
    else if (CONTAINER_BOXES.has(box.name) && depth < 8) found.push(...findBoxes(box.content, names, depth + 1))
  }
  return found
}
