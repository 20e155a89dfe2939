import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CatalogModel } from '../../domain/catalog.ts'
import type { ModelPrice } from '../../domain/price.ts'
import { prepareImages } from './prepare.ts'
import { ImageTap } from './tap.ts'

const model = { facts: {}, capabilities: new Set(['streaming']) } as unknown as CatalogModel
const price = { rates: { image: 1n } } as unknown as ModelPrice
const tapOf = (n: number) => new ImageTap(prepareImages({ model: 'a', prompt: 'x', n, stream: true }, 0, { model, price }))

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')
const event = (type: string) => `event: ${type}\ndata: {"type":"${type}","b64_json":"${PNG}"}\n\n`
const PARTIAL = event('image_edit.partial_image')
const COMPLETED = event('image_edit.completed')

/** What is sent up to the tail if the stream arrives in these pieces. */
function run(pieces: readonly Buffer[], n: number) {
  const tap = tapOf(n)
  const out = pieces.map((piece) => Buffer.from(tap.push(piece)))
  const { complete, usage } = tap.end()
  return { shown: Buffer.concat(out).toString(), complete, usage, done: tap.done, broken: tap.broken }
}

const STREAM = Buffer.from(`: wait\n\n${PARTIAL}${COMPLETED}${PARTIAL}${COMPLETED}data: [DONE]\n\n`)

it('gives the same for whatever pieces a stream comes in', () => {
  const whole = run([STREAM], 2)
  const none = { input_tokens: 0, output_tokens: 0, total_tokens: 0, input_tokens_details: { text_tokens: 0, image_tokens: 0 } }
  // Clients read a usage of every image. The last one says what all of them cost.
  const first = COMPLETED.replace(/}\n\n$/, `,"usage":${JSON.stringify(none)}}\n\n`)
  expect(whole).toMatchObject({ shown: PARTIAL + first + PARTIAL, complete: true, done: true, broken: null })
  expect(whole.usage?.media).toEqual({ image: 2n })
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 12 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), STREAM.length]
      const pieces = at.slice(1).map((end, index) => STREAM.subarray(at[index], end))
      expect(run(pieces, 2)).toEqual(whole)
    }),
  )
})

it('reads nothing after the last image that was asked for', () => {
  const { shown, usage } = run([STREAM], 1)
  expect(shown).toBe(PARTIAL)
  expect(usage?.media).toEqual({ image: 1n })
})

it('is whole when the last image is there, whatever comes after it', () => {
  expect(run([Buffer.from(`${COMPLETED}data: {"half":\n\n`)], 1)).toMatchObject({ complete: true, done: true })
})

it('has used nothing before an image is complete', () => {
  const tap = tapOf(1)
  tap.push(Buffer.from(PARTIAL))
  expect(tap.started).toBe(false)
  expect(tap.end()).toMatchObject({ complete: false, usage: { requests: 0n } })
})

it.each([
  ['data: [1]\n\n'],
  ['data: {"b64_json":"x"}\n\n'],
  ['data: {"error":{"message":"No."}}\n\n'],
  ['event: error\ndata: {"type":"error","message":"No."}\n\n'],
  [event('image_edit.completed').replace(PNG, 'bm8gaW1hZ2U=')],
])('breaks off at %j, and shows what stood before', (bad) => {
  const { shown, broken, complete } = run([Buffer.from(PARTIAL + bad + COMPLETED)], 2)
  expect(shown).toBe(PARTIAL)
  expect(broken?.mark).toBe('stream_broken')
  expect(complete).toBe(false)
})
