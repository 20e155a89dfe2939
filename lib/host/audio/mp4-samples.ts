import { findBoxes } from './boxes.ts'

/** Consecutive samples in a file. */
export interface SampleRun {
  at: number
  /** Their sizes in bytes: one size for all, or one for each. */
  sizes: { each: number; count: number } | readonly number[]
}

/** The tables of a track that say where its samples are (ISO 14496-12, section 8.7) and what they are. */
export interface SampleTables {
  stsd: Buffer
  stsz: Buffer
  stsc: Buffer
  /** Where chunks start, and how many bytes each of these numbers has. */
  chunks: Buffer
  chunkBytes: 4 | 8
}

/** The tables of a track. Null if one is missing or duplicated, because players differ in which duplicate they take. */
export function readTables(trak: Buffer): SampleTables | null {
  const boxes = findBoxes(trak, ['stsd', 'stsz', 'stz2', 'stsc', 'stco', 'co64'])
  const { stsd, stsz, stsc, stco, co64 } = Object.fromEntries(boxes.map(({ name, content }) => [name, content]))
  const chunks = stco ?? co64
  if (boxes.length !== 4 || !stsd || !stsz || !stsc || !chunks) return null
  if (stsz.length < 12 || stsc.length < 8 || chunks.length < 8) return null
  return { stsd, stsz, stsc, chunks, chunkBytes: stco ? 4 : 8 }
}

/** How many of the `declaredCount` entries of `bytes` each the table really contains from `at` on. */
const entryCount = (table: Buffer, declaredCount: number, at: number, bytes: number): number =>
  Math.max(0, Math.min(declaredCount, Math.floor((table.length - at) / bytes)))

/**
 * The samples of a track according to its tables, one chunk at a time. If samples are not compressed (`frameBytes`), chunks
 * define how many there are, and each sample has at least `frameBytes`.
 */
export function* runsOf({ stsz, stsc, chunks, chunkBytes }: SampleTables, frameBytes: number): Generator<SampleRun> {
  const each = stsz.readUInt32BE(4)
  let left = stsz.readUInt32BE(8)
  if (each === 0) left = entryCount(stsz, left, 12, 4)
  else if (frameBytes > 0) left = Number.POSITIVE_INFINITY
  const stepCount = entryCount(stsc, stsc.readUInt32BE(4), 8, 12)
  const chunkCount = entryCount(chunks, chunks.readUInt32BE(4), 8, chunkBytes)
  let [step, sample] = [0, 0]
  for (let chunk = 0; chunk < chunkCount && left > 0 && stepCount > 0; chunk++) {
    while (step + 1 < stepCount && stsc.readUInt32BE(8 + (step + 1) * 12) <= chunk + 1) step++
    const count = Math.min(left, stsc.readUInt32BE(8 + step * 12 + 4))
    const entry = 8 + chunk * chunkBytes
    const at = chunkBytes === 8 ? Number(chunks.readBigUInt64BE(entry)) : chunks.readUInt32BE(entry)
    const first = sample
    left -= count
    sample += count
    if (each > 0) yield { at, sizes: { each: Math.max(each, frameBytes), count } }
    else yield { at, sizes: Array.from({ length: count }, (_, index) => stsz.readUInt32BE(12 + (first + index) * 4)) }
  }
}

/** The default sample size in fragments, in bytes, by track. */
export function readDefaults(moov: Buffer): Map<number, number> {
  const found = findBoxes(moov, ['trex']).filter(({ content }) => content.length >= 20)
  return new Map(found.map(({ content }) => [content.readUInt32BE(4), content.readUInt32BE(16)]))
}

/** The samples of a run in a fragment (section 8.8.8). Each has `size` bytes unless the run states sizes. */
function readRun(trun: Buffer, base: number, next: number, size: number): SampleRun | null {
  if (trun.length < 8) return null
  const flags = trun.readUInt32BE(0)
  const count = trun.readUInt32BE(4)
  let at = 8
  const start = flags & 1 && trun.length >= 12 ? base + trun.readInt32BE(8) : next
  at += (flags & 1 ? 4 : 0) + (flags & 4 ? 4 : 0)
  if (!(flags & 0x200)) return { at: start, sizes: { each: size, count } }
  const entry = [0x100, 0x200, 0x400, 0x800].filter((flag) => flags & flag).length * 4
  const offset = at + (flags & 0x100 ? 4 : 0)
  const length = entryCount(trun, count, at, entry)
  return { at: start, sizes: Array.from({ length }, (_, index) => trun.readUInt32BE(offset + index * entry)) }
}

const bytesOf = ({ sizes }: SampleRun): number =>
  'each' in sizes ? sizes.each * sizes.count : sizes.reduce((sum, size) => sum + size, 0)

/** The samples of a fragment whose `moof` box starts at `moofAt`, with the number of their track. */
export function* fragmentRuns(moof: Buffer, moofAt: number, defaults: Map<number, number>): Generator<[number, SampleRun]> {
  let next = moofAt
  for (const { content: traf } of findBoxes(moof, ['traf'])) {
    const head = findBoxes(traf, ['tfhd'])[0]?.content
    if (!head || head.length < 8) continue
    const flags = head.readUInt32BE(0)
    const track = head.readUInt32BE(4)
    let at = 8
    const hasBase = (flags & 1) !== 0 && head.length >= 16
    const base = hasBase ? Number(head.readBigUInt64BE(8)) : flags & 0x20000 ? moofAt : next
    at += (flags & 1 ? 8 : 0) + (flags & 2 ? 4 : 0) + (flags & 8 ? 4 : 0)
    const size = flags & 0x10 && head.length >= at + 4 ? head.readUInt32BE(at) : (defaults.get(track) ?? 0)
    next = base
    for (const { content } of findBoxes(traf, ['trun'])) {
      const run = readRun(content, base, next, size)
      if (!run) continue
      next = run.at + bytesOf(run)
      yield [track, run]
    }
  }
}
