import { expect, test } from 'vitest'
import { type VendorAnswer, VendorFailure, type WireAnswer } from '../vendors/vendor.ts'
import type { AnswerPiece } from '../wire/vendor-form.ts'
import { fanOutWires } from './fan-out.ts'

async function* bodyOf(texts: string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text)
}
const answer = (status: number, ...texts: string[]): WireAnswer => ({ k: 'wire', status, headers: {}, body: bodyOf(texts) })
/** Never answers. Ends when its signal is aborted, as sockets do. */
const silent = (signal: AbortSignal): Promise<WireAnswer> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new VendorFailure('cut', 'AbortError'))))

const callOf = (choices: number, signal = new AbortController().signal) => ({ choices, signal }) as never

async function read(pieces: AsyncIterable<AnswerPiece>): Promise<string[]> {
  const texts: string[] = []
  for await (const { at, bytes } of pieces) texts[at] = (texts[at] ?? '') + Buffer.from(bytes).toString()
  return texts
}

test('all answers come as pieces that say whose they are, and choices are shared', async () => {
  const shares: number[] = []
  const got = await fanOutWires(['a', 'b'], callOf(6), async (asked, own) => {
    shares.push(own.choices)
    return answer(asked === 'a' ? 200 : 206, `${asked}1`, `${asked}2`)
  })
  if (got.k !== 'pieces') throw new Error('they are no pieces')
  expect([got.count, await read(got.pieces)]).toEqual([2, ['a1a2', 'b1b2']])
  expect(shares).toEqual([3, 3])
})

test('a refusal is the answer to all, can still be read, and ends the others', async () => {
  const ended: boolean[] = []
  const got = (await fanOutWires([0, 1, 2], callOf(3), async (at, { signal }) => {
    signal.addEventListener('abort', () => (ended[at] = true))
    return at === 1 ? answer(429, 'slow down') : await silent(signal)
  })) as VendorAnswer
  if (got.k !== 'wire') throw new Error('it is no refusal')
  expect(got.status).toBe(429)
  let text = ''
  for await (const bytes of got.body) text += Buffer.from(bytes).toString()
  expect(text).toBe('slow down')
  expect(ended).toEqual([true, undefined, true])
})

test('a failure is the failure of all, and ends the others', async () => {
  let ended = 0
  const failing = fanOutWires([0, 1, 2], callOf(3), async (at, { signal }) => {
    signal.addEventListener('abort', () => ended++)
    if (at === 1) throw new VendorFailure('unreachable', 'ECONNREFUSED')
    return await silent(signal)
  })
  await expect(failing).rejects.toMatchObject({ kind: 'unreachable' })
  expect(ended).toBe(3)
})

test("the call's own end ends all", async () => {
  const controller = new AbortController()
  const failing = fanOutWires([0, 1], callOf(2, controller.signal), async (_, { signal }) => await silent(signal))
  controller.abort()
  await expect(failing).rejects.toMatchObject({ kind: 'cut' })
})

test('an answer that breaks off breaks the pieces', async () => {
  const got = await fanOutWires([0, 1], callOf(2), async (at) => ({
    ...answer(200, 'x'),
    ...(at === 1 ? { body: broken() } : {}),
  }))
  if (got.k !== 'pieces') throw new Error('they are no pieces')
  await expect(read(got.pieces)).rejects.toMatchObject({ kind: 'cut' })
})

async function* broken(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('y')
  throw new VendorFailure('cut', 'UND_ERR_SOCKET')
}
