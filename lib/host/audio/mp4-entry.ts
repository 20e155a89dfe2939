import { boxesOf, findBoxes } from './boxes.ts'
import type { AudioFormat } from './packet-meter.ts'

/** The codec of an MPEG-4 stream, by object type (mp4ra.org). */
const OBJECT_TYPES: Record<number, AudioFormat['codec']> = {
  64: 'aac',
  102: 'aac',
  103: 'aac',
  104: 'aac',
  105: 'mpeg',
  107: 'mpeg',
  165: 'ac3',
  166: 'ac3',
  221: 'vorbis',
}
/** The codec of an entry by its name, and the box inside it that describes the codec. */
const CODEC_BY_NAME: Record<string, [codec: AudioFormat['codec'], description?: string]> = {
  Opus: ['opus'],
  fLaC: ['flac', 'dfLa'],
  alac: ['alac', 'alac'],
  '.mp3': ['mpeg'],
  'mp3 ': ['mpeg'],
  'ms\0U': ['mpeg'],
  'ac-3': ['ac3'],
  'ec-3': ['ac3'],
  samr: ['amr'],
  sawb: ['amr-wide'],
}
/** Bytes per sample of one channel. 0 if the entry itself states them. */
const PCM_BYTES: Record<string, number> = {
  sowt: 0,
  twos: 0,
  lpcm: 0,
  ipcm: 0,
  fpcm: 0,
  'raw ': 1,
  ulaw: 1,
  alaw: 1,
  in24: 3,
  in32: 4,
  fl32: 4,
  fl64: 8,
}
/** The header size of an entry by its version. Only QuickTime uses versions above 0. */
const HEADER_BYTES_BY_VERSION = [28, 44, 64] as const

/** Reads the descriptors of an `esds` box (ISO 14496-1, section 7.2.6): the object type, and the data for the decoder. */
function readDescriptors(esds: Buffer): { type: number; description: Buffer } {
  let [at, type] = [4, 0]
  while (at < esds.length) {
    const tag = esds[at++] ?? 0
    let size = 0
    for (let more = true; more && at < esds.length; at++) {
      size = size * 128 + ((esds[at] ?? 0) & 0x7f)
      more = ((esds[at] ?? 0) & 0x80) !== 0
    }
    if (tag === 5) return { type, description: Buffer.from(esds.subarray(at, at + size)) }
    // Descend into a stream's descriptor, whose flags say what else it contains, and into its decoder's descriptor.
    const flags = esds[at + 2] ?? 0
    if (tag === 4) type = esds[at] ?? 0
    if (tag === 3) at += 3 + (flags & 0x80 ? 2 : 0) + (flags & 0x40 ? 1 + (esds[at + 3] ?? 0) : 0) + (flags & 0x20 ? 2 : 0)
    else at += tag === 4 ? 13 : size
  }
  return { type, description: Buffer.alloc(0) }
}

/** What a track's `stsd` says about its sound. Null unless it has exactly one entry of a known kind. */
export function readSampleEntry(stsd: Buffer): AudioFormat | null {
  if (stsd.length < 8 || stsd.readUInt32BE(4) !== 1) return null
  const [entry] = boxesOf(stsd.subarray(8))
  if (!entry || entry.content.length < 28) return null
  const { name, content } = entry
  const version = content.readUInt16BE(8)
  const head = HEADER_BYTES_BY_VERSION[version]
  if (head === undefined || content.length < head) return null
  const inner = content.subarray(head)
  const find = (box: string) => findBoxes(inner, [box])[0]?.content ?? Buffer.alloc(0)
  const srat = find('srat')
  const rates = [version === 2 ? content.readDoubleBE(32) : content.readUInt32BE(24) / 65_536]
  if (srat.length >= 8) rates.push(srat.readUInt32BE(4))
  const rate = Math.min(...rates.filter((each) => each > 0))
  const sound = { rate: Number.isFinite(rate) ? rate : 0, frameBytes: 0, description: Buffer.alloc(0) }
  if (name === 'mp4a') {
    const { type, description } = readDescriptors(find('esds'))
    const codec = OBJECT_TYPES[type]
    return codec ? { ...sound, codec, description } : null
  }
  const known = CODEC_BY_NAME[name]
  if (known) {
    const description = known[1] ? Buffer.from(find(known[1]).subarray(4)) : sound.description
    return { ...sound, codec: known[0], description }
  }
  const pcm = PCM_BYTES[name]
  if (pcm === undefined) return null
  const channels = Math.max(1, version === 2 ? content.readUInt32BE(40) : content.readUInt16BE(16))
  const bits = find('pcmC')[5] ?? (version === 2 ? content.readUInt32BE(48) : content.readUInt16BE(18))
  return { ...sound, codec: 'pcm', frameBytes: (pcm || Math.ceil(bits / 8)) * channels }
}
