import { promisify } from 'node:util'
import { zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib'

const compressAsync = promisify(zstdCompress)
const decompressAsync = promisify(zstdDecompress)
const OPEN_BRACE = 123
/** A stored body that unpacks to more than this is damaged, not long. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024

/** Below this size, in characters, handing work to another thread takes longer than doing it (600 instead of 35 microseconds). */
const MAX_SYNC_CHARS = 32 * 1024

/** Below this size compression saves next to nothing, and takes as long as the rest of a request. */
const MAX_RAW_CHARS = 2 * 1024

/** The stored form of a JSON object: unchanged if it is tiny, otherwise compressed with zstd. */
export function pack(json: string): Promise<Buffer> | Buffer {
  if (json.length <= MAX_RAW_CHARS) return Buffer.from(json)
  return json.length > MAX_SYNC_CHARS ? compressAsync(json) : zstdCompressSync(json)
}

/** The JSON in a stored body: the body itself, or zstd data, which never begins with a brace. */
export const unpack = async (body: Uint8Array): Promise<string> =>
  (body[0] === OPEN_BRACE ? Buffer.from(body) : await decompressAsync(body, { maxOutputLength: MAX_UNPACKED_BYTES })).toString()
