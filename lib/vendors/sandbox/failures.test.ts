import { describe, expect, it } from 'vitest'
import { createSandbox } from '../sandbox.ts'
import { asVendorFailure, type WireAnswer } from '../vendor.ts'
import { SANDBOX_MODELS } from './models.ts'
import { callOf, forward, payloadsOf, textOf, userBody } from './testing.ts'

const streaming = { ...userBody('Hello'), stream: true }

/** Reads a body to its end or failure. */
async function readAll(answer: WireAnswer): Promise<{ text: string; error: unknown }> {
  const parts: Uint8Array[] = []
  try {
    for await (const part of answer.body) parts.push(part)
  } catch (error) {
    return { text: Buffer.concat(parts).toString(), error }
  }
  return { text: Buffer.concat(parts).toString(), error: null }
}

const failureOf = async (promise: Promise<unknown>) =>
  asVendorFailure(
    await promise.then(
      () => null,
      (error) => error,
    ),
  )

/** Counts the timers that keep the process alive. The sandbox may leave none. */
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

describe('models that fail', () => {
  it.each([
    ['sandbox/error-429', 429, '2', 'rate_limit_exceeded'],
    ['sandbox/error-500', 500, undefined, null],
    ['sandbox/error-503', 503, '5', 'service_unavailable'],
    ['sandbox/unknown', 404, undefined, 'model_not_found'],
  ])('%s answers %d', async (model, status, retryAfter, code) => {
    for (const body of [userBody('Hello'), streaming]) {
      const answer = await forward(callOf(body, { model }))
      expect(answer.status).toBe(status)
      expect(answer.headers['retry-after']).toBe(retryAfter)
      const { error } = JSON.parse(await textOf(answer))
      expect(error).toEqual({ message: expect.stringContaining('andbox'), type: expect.any(String), param: null, code })
    }
  })

  it('error-disconnect cuts a stream in the middle, and a whole answer before it starts', async () => {
    const { text, error } = await readAll(await forward(callOf(streaming, { model: 'sandbox/error-disconnect' })))
    expect(payloadsOf(text).length).toBeGreaterThan(2)
    expect(text).not.toContain('[DONE]')
    expect(asVendorFailure(error)?.kind).toBe('cut')
    expect((await failureOf(forward(callOf(userBody('Hello'), { model: 'sandbox/error-disconnect' }))))?.kind).toBe('cut')
  })

  it.each(['sandbox/error-disconnect', 'sandbox/error-malformed'])(
    '%s breaks before a short answer is finished',
    async (model) => {
      for (const n of [1, 3]) {
        const { text } = await readAll(await forward(callOf({ ...streaming, n }, { model, cap: 1 })))
        expect(text).not.toContain('"finish_reason":"')
      }
    },
  )

  it('error-malformed breaks off within the JSON of an event, and sends a page for a whole answer', async () => {
    const payloads = payloadsOf(await textOf(await forward(callOf(streaming, { model: 'sandbox/error-malformed' }))))
    expect(payloads.length).toBeGreaterThan(3)
    for (const payload of payloads.slice(0, -1)) expect(() => JSON.parse(payload)).not.toThrow()
    expect(() => JSON.parse(payloads.at(-1) ?? '')).toThrow(SyntaxError)
    const answer = await forward(callOf(userBody('Hello'), { model: 'sandbox/error-malformed' }))
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/html' } })
    expect(await textOf(answer)).toContain('<!doctype html>')
  })

  it('error-slow waits half a minute before its headers, then answers', async () => {
    const slept: number[] = []
    const chat = createSandbox({ sleep: async (ms) => void slept.push(ms) }).forward['openai.chat']
    const answer = await chat?.(callOf(streaming, { model: 'sandbox/error-slow' }))
    expect(slept).toEqual([30_000])
    expect(answer && (await textOf(answer))).toContain('[DONE]')
  })
})

describe('an abort', () => {
  it.each([
    ['a slow model', 'sandbox/error-slow', streaming],
    ['a whole answer', 'sandbox/chat', userBody('Hello')],
  ])('ends the wait of %s at once and leaves no timer', async (_, model, body) => {
    const before = timers()
    const abort = new AbortController()
    const failed = failureOf(forward(callOf(body, { model, signal: abort.signal }), { pace: 1000 }))
    abort.abort()
    expect((await failed)?.kind).toBe('cut')
    expect(timers()).toBe(before)
  })

  it('ends a stream in the middle of its wait', async () => {
    const before = timers()
    const abort = new AbortController()
    const answer = await forward(callOf(streaming, { signal: abort.signal }), { pace: 1000 })
    const body = answer.body[Symbol.asyncIterator]()
    await body.next()
    const next = failureOf(body.next())
    abort.abort()
    expect((await next)?.kind).toBe('cut')
    expect((await body.next()).done).toBe(true)
    expect(timers()).toBe(before)
  })

  it('ends a stream that never waits, and a call before it starts', async () => {
    const abort = new AbortController()
    const answer = await forward(callOf(streaming, { signal: abort.signal }))
    let events = 0
    const reading = async () => {
      for await (const _ of answer.body) if (++events === 3) abort.abort()
    }
    expect((await failureOf(reading()))?.kind).toBe('cut')
    expect(events).toBe(3)
    expect((await failureOf(forward(callOf(userBody('Hello'), { signal: AbortSignal.abort() }))))?.kind).toBe('cut')
  })

  it('is what leaving the body early amounts to', async () => {
    const before = timers()
    for await (const _ of (await forward(callOf(streaming), { pace: 1 })).body) break
    expect(timers()).toBe(before)
  })
})

describe('SANDBOX_MODELS', () => {
  it('lists one chat model that answers and six that fail, all of them known to the vendor', async () => {
    const chats = SANDBOX_MODELS.filter(({ modality }) => modality === 'chat')
    expect(chats).toHaveLength(7)
    for (const { id, upstreamModel, contextWindow, maxOutput } of chats) {
      expect(upstreamModel).toBe(id)
      expect(maxOutput).toBeLessThan(contextWindow)
      const status = await forward(callOf(streaming, { model: upstreamModel })).then((answer) => answer.status)
      expect(status).not.toBe(404)
    }
  })
})
