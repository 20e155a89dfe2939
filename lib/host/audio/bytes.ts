import { open } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { asBuffer } from '../../domain/as-buffer.ts'

/** Bytes that are read on demand, so that a long file is never in memory as a whole. */
export interface ByteSource {
  size: number
  /** Reads `length` bytes from `at` on, or fewer at the end. Asynchronous, so the event loop can run in between. */
  read(at: number, length: number): Promise<Buffer>
}

/** How much a walk through a file reads at a time. */
export const WINDOW_BYTES = 256 * 1024

const fromArray = (array: Uint8Array): ByteSource => ({
  size: array.byteLength,
  read: async (at, length) => {
    await turn()
    return asBuffer(array.subarray(at, at + length))
  },
})

/** The bytes from `start` on. */
export const sliceFrom = (bytes: ByteSource, start: number): ByteSource => ({
  size: Math.max(0, bytes.size - start),
  read: (at, length) => bytes.read(start + at, length),
})

/** Passes the bytes of a file or of memory to `use`, and closes the file afterwards. Rejects if the file cannot be opened. */
export async function withByteSource<T>(source: string | Uint8Array, use: (bytes: ByteSource) => Promise<T>): Promise<T> {
  if (typeof source !== 'string') return use(fromArray(source))
  const file = await open(source)
  try {
    const { size } = await file.stat()
    return await use({
      size,
      read: async (at, length) => {
        const buffer = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - at)))
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
        return buffer.subarray(0, bytesRead)
      },
    })
  } finally {
    await file.close()
  }
}

/** A walk through a file that keeps the last window that it read. */
export interface WindowReader {
  size: number
  /** At least `length` bytes from `at` on, or fewer at the end. */
  readWindow(at: number, length: number): Promise<Buffer>
}

/** A walk through `bytes` that reads `windowBytes` at a time. */
export function createWindowReader(bytes: ByteSource, windowBytes: number = WINDOW_BYTES): WindowReader {
  let window: Buffer = Buffer.alloc(0)
  let windowAt = 0
  return {
    size: bytes.size,
    readWindow: async (at, length) => {
      if (at < windowAt || at + length > windowAt + window.length) {
        window = await bytes.read(at, Math.max(windowBytes, length))
        windowAt = at
      }
      return window.subarray(at - windowAt)
    },
  }
}
