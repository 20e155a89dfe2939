import { expect, test } from 'vitest'
import type { FinishPorts } from '../answer.ts'
import { type PreparedImageRequest, readImageAnswer } from './non-streaming.ts'

const ports = { keepHistory: false, vendorOrigin: null } as unknown as FinishPorts
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(3000, 0xfb)]).toString('base64')
const workOf = (): PreparedImageRequest =>
  ({
    choice: { images: 4, size: '1024x1024' },
    wanted: 'b64_json',
    model: { facts: {} },
    rates: { image: 1n },
    made: 0,
  }) as unknown as PreparedImageRequest

async function imagesIn(answer: string): Promise<unknown[]> {
  const work = workOf()
  const read = readImageAnswer(Buffer.from(answer), work, new Date(0))
  await read.finish?.(ports)
  const { data } = JSON.parse(Buffer.from(read.encode(read.usage as never, 0n)).toString()) as { data: unknown[] }
  expect(data).toHaveLength(work.imageCount)
  return data
}

test('images leave as they came, long or short, with slashes written in either way', async () => {
  const short = PNG.slice(0, 400)
  const answer = `{"created":1,"data":[{"b64_json":"${PNG}"},{"b64_json":"${short}"},{"b64_json" : "${PNG.replaceAll('/', '\\/')}"}]}`
  expect(await imagesIn(answer)).toEqual([{ b64_json: PNG }, { b64_json: short }, { b64_json: PNG }])
})

test('what is no image of an answer is none, whatever number it has', async () => {
  expect(await imagesIn(`{"data":[{"b64_json":"${PNG}"},{"b64_json":0},{"b64_json":"0"},{"b64_json":-0}]}`)).toHaveLength(1)
})

test.each([
  ['something after a text', `{"data":[{"b64_json":"${PNG}".0}]}`],
  ['a text that does not end', `{"data":[{"b64_json":"${PNG}`],
  ['no data', `{"b64_json":"${PNG}"}`],
])('%s is no answer', (_, answer) => {
  expect(() => readImageAnswer(Buffer.from(answer), workOf(), new Date(0))).toThrow(
    expect.objectContaining({ mark: 'stream_broken' }),
  )
})
