import { buffer, text } from 'node:stream/consumers'
import { brotliCompressSync, constants, createGzip, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decompress } from './decompress.ts'
import type { WireAnswer } from './vendor.ts'

const answerOf = (body: AsyncIterable<Uint8Array>, encoding?: string): WireAnswer => ({
  k: 'wire',
  status: 200,
  headers: { 'content-type': 'x/y', ...(encoding === undefined ? {} : { 'content-encoding': encoding }) },
  body,
})

async function* bytewise(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (const byte of bytes) yield Uint8Array.of(byte)
}

const SAID = 'Grüße '.repeat(1000)

describe('an answer', () => {
  it.each([
    ['gzip', gzipSync(SAID)],
    [' GZIP', gzipSync(SAID)],
    ['x-gzip', gzipSync(SAID)],
    ['deflate', deflateSync(SAID)],
    ['br', brotliCompressSync(SAID)],
  ])('that is compressed with %s is read', async (encoding, bytes) => {
    const { headers, body } = decompress(answerOf(bytewise(bytes), encoding))
    expect(await text(body)).toBe(SAID)
    expect(headers).toEqual({ 'content-type': 'x/y' })
  })

  it.each([undefined, 'identity', '', 'gzip, br', 'unknown'])('with the encoding %s is the very same object', (encoding) => {
    const answer = answerOf(bytewise(Buffer.from('x')), encoding)
    expect(decompress(answer)).toBe(answer)
  })

  it('that is cut off, or not compressed at all, breaks', async () => {
    for (const bytes of [gzipSync(SAID).subarray(0, 40), Buffer.from(SAID), Buffer.alloc(0)])
      await expect(buffer(decompress(answerOf(bytewise(bytes), 'gzip')).body)).rejects.toThrow()
  })

  it('breaks as its connection does', async () => {
    const broken = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' })
    async function* body(): AsyncGenerator<Uint8Array> {
      yield gzipSync(SAID).subarray(0, 40)
      throw broken
    }
    await expect(buffer(decompress(answerOf(body(), 'gzip')).body)).rejects.toBe(broken)
  })

  it('passes what was sent so far, and is ended by who leaves early', async () => {
    const gzip = createGzip()
    const flushed = new Promise<Buffer>((resolve) => {
      gzip.write('data: 1\n\n')
      gzip.flush(constants.Z_SYNC_FLUSH, () => resolve(gzip.read() as Buffer))
    })
    let isClosed = () => undefined as unknown
    const closed = new Promise((resolve) => {
      isClosed = () => resolve('closed')
    })
    async function* body(): AsyncGenerator<Uint8Array> {
      try {
        yield await flushed
        for (;;) {
          await new Promise((next) => setTimeout(next, 5))
          yield Buffer.alloc(0)
        }
      } finally {
        isClosed()
      }
    }
    for await (const piece of decompress(answerOf(body(), 'gzip')).body) {
      expect(Buffer.from(piece).toString()).toBe('data: 1\n\n')
      break
    }
    expect(await closed).toBe('closed')
  })
})
