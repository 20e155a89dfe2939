import {
  APIConnectionError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai'
import { describe, expect, test } from 'vitest'
import { chatAnswer, sendJson } from '../fakes/vendor.ts'
import { expectNotCharged, expectRejection } from './expectations.ts'
import type { Host } from './world.ts'

const ASK = { model: 'sandbox/chat', messages: [{ role: 'user' as const, content: 'Hello' }] }

/** Milliseconds between the first two requests. */
const retryDelayOf = ({ recorder }: Host): number => (recorder.calls[1]?.atMs ?? 0) - (recorder.calls[0]?.atMs ?? 0)

function refusalCases(host: Host): void {
  test('a wrong key is an AuthenticationError', async () => {
    const wrong = host.openai({ apiKey: 'sk-tg-wrong', maxRetries: 2 })
    const error = await expectRejection(AuthenticationError, wrong.chat.completions.create(ASK))
    expect(error).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'invalid_request_error', param: null })
    expect(error.requestID).toMatch(/^req_/)
    expect(host.recorder.calls).toHaveLength(1)
    await expectRejection(AuthenticationError, Promise.resolve(wrong.models.list()))
  })

  test('a revoked and an expired key are AuthenticationErrors', async () => {
    const past = new Date(Date.now() - 1000)
    for (const options of [{ revokedAt: past }, { expiresAt: past }]) {
      const { key } = await host.newAccount(1_000_000_000n, options)
      const error = await expectRejection(AuthenticationError, host.openai({ apiKey: key }).chat.completions.create(ASK))
      expect(error.code).toBe('invalid_api_key')
    }
  })

  test.each<[string, object]>([
    ['temperature', { temperature: 3 }],
    ['messages', { messages: [] }],
    ['messages[0].content[0].image_url.url', { messages: [imageFrom('ftp://nowhere/a.png')] }],
    ['max_tokens', { max_tokens: 1_000_000 }],
    ['web_search_options', { web_search_options: {} }],
  ])('a mistake in %s is a BadRequestError that names it', async (param, mistake) => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key, maxRetries: 2 })
    const error = await expectRejection(BadRequestError, client.post('/chat/completions', { body: { ...ASK, ...mistake } }))
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param })
    expect(host.recorder.calls).toHaveLength(1)
    await expectNotCharged(account, 400, 'refused')
  })

  test('a mistake in a request for a stream is the same BadRequestError', async () => {
    const ask = { ...ASK, stream: true as const, top_p: 2 }
    const error = await expectRejection(BadRequestError, host.openai().chat.completions.create(ask))
    expect(error).toMatchObject({ status: 400, param: 'top_p' })
  })

  test('an unknown model is a NotFoundError', async () => {
    const ask = { ...ASK, model: 'nobody/nothing' }
    const error = await expectRejection(NotFoundError, host.openai({ maxRetries: 2 }).chat.completions.create(ask))
    expect(error).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
    expect(host.recorder.calls).toHaveLength(1)
  })

  test('an address that does not exist is a NotFoundError', async () => {
    const error = await expectRejection(NotFoundError, host.openai().post('/nothing/here', { body: {} }))
    expect(error).toMatchObject({ status: 404, code: 'unknown_url' })
  })

  test('an empty balance is a RateLimitError that is not retried', async () => {
    const account = await host.newAccount(0n)
    const error = await expectRejection(
      RateLimitError,
      host.openai({ apiKey: account.key, maxRetries: 3 }).chat.completions.create(ASK),
    )
    expect(error).toMatchObject({ status: 429, code: 'insufficient_quota', type: 'insufficient_quota' })
    expect(error.headers.get('x-should-retry')).toBe('false')
    expect(host.recorder.calls).toHaveLength(1)
    await expectNotCharged(account, 429, 'refused')
  })

  test('a spent limit of the key is a RateLimitError that is not retried', async () => {
    const { key } = await host.newAccount(1_000_000_000n, { limitTotalNano: 1n })
    const error = await expectRejection(RateLimitError, host.openai({ apiKey: key, maxRetries: 3 }).chat.completions.create(ASK))
    expect(error.code).toBe('insufficient_quota')
    expect(host.recorder.calls).toHaveLength(1)
  })

  test('too many requests of a key are a RateLimitError that says when to come again', async () => {
    const { key } = await host.newAccount(1_000_000_000n, { rpm: 1 })
    const client = host.openai({ apiKey: key })
    await client.chat.completions.create(ASK)
    const error = await expectRejection(RateLimitError, client.chat.completions.create(ASK))
    expect(error).toMatchObject({ code: 'rate_limit_exceeded', type: 'requests' })
    expect(Number(error.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(error.headers.get('x-ratelimit-remaining-requests')).toBe('0')
  })
}

const imageFrom = (url: string) => ({ role: 'user' as const, content: [{ type: 'image_url' as const, image_url: { url } }] })

function vendorFailureCases(host: Host): void {
  test('a vendor’s 429 is retried after the time that it names', async () => {
    const client = host.openai({ maxRetries: 1 })
    const error = await expectRejection(RateLimitError, client.chat.completions.create({ ...ASK, model: 'sandbox/error-429' }))
    expect(error).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(error.headers.get('retry-after')).toBe('2')
    expect(host.recorder.calls).toHaveLength(2)
    expect(retryDelayOf(host)).toBeGreaterThanOrEqual(1900)
  })

  test('a vendor’s 500 is an InternalServerError, retried, and free', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key, maxRetries: 1 })
    const error = await expectRejection(
      InternalServerError,
      client.chat.completions.create({ ...ASK, model: 'sandbox/error-500' }),
    )
    expect(error).toMatchObject({ status: 500, code: 'server_error', type: 'server_error' })
    expect(host.recorder.calls).toHaveLength(2)
    expect(await account.waitForRecords(2)).toMatchObject([{ outcome: 'vendor_failed' }, { outcome: 'vendor_failed' }])
    expect(await account.spent()).toBe(0n)
  })

  test('a vendor’s 503 is an InternalServerError that says when to come again', async () => {
    const error = await expectRejection(
      InternalServerError,
      host.openai().chat.completions.create({ ...ASK, model: 'sandbox/error-503' }),
    )
    expect(error).toMatchObject({ status: 503, code: 'service_unavailable' })
    expect(error.headers.get('retry-after')).toBe('5')
  })

  test('a 503 that passes is retried to a good answer, which is charged once', async () => {
    const account = await host.newAccount()
    host.vendor.answer((call) => {
      // However often the gateway itself retries, the client's first request meets an overloaded vendor.
      if (host.recorder.calls.length < 2)
        sendJson(call, { error: { message: 'overloaded', type: 'server_error' } }, 503, { 'retry-after': '1' })
      else sendJson(call, chatAnswer('Here again.'))
    })
    const client = host.openai({ apiKey: account.key, maxRetries: 2 })
    const answer = await client.chat.completions.create({ ...ASK, model: host.fakeModel })
    expect(answer.choices[0]?.message.content).toBe('Here again.')
    expect(host.recorder.calls.map((call) => call.status)).toEqual([503, 200])
    expect(retryDelayOf(host)).toBeGreaterThanOrEqual(900)
    expect(await account.spent()).toBe(10n * 2500n + 5n * 10_000n)
  })

  test.each(['sandbox/error-disconnect', 'sandbox/error-malformed'])(
    'a whole answer of %s is an InternalServerError, and free',
    async (model) => {
      const account = await host.newAccount()
      const error = await expectRejection(
        InternalServerError,
        host.openai({ apiKey: account.key }).chat.completions.create({ ...ASK, model }),
      )
      expect(error).toMatchObject({ status: 500, code: 'server_error' })
      await expectNotCharged(account, 500, 'vendor_failed')
    },
  )

  test('a mistake that only the vendor sees stays a BadRequestError, without its secrets', async () => {
    host.vendor.answer((call) =>
      sendJson(call, { error: { message: 'upstream-model wants sk-abcdef123456 and no more', param: 'messages' } }, 400),
    )
    const error = await expectRejection(BadRequestError, host.openai().chat.completions.create({ ...ASK, model: host.fakeModel }))
    expect(error).toMatchObject({ status: 400, param: 'messages' })
    expect(error.message).toContain(`${host.fakeModel} wants [hidden] and no more`)
  })

  test('a vendor that does not accept the gateway’s own key is a 503, not the client’s 401', async () => {
    host.vendor.answer((call) => sendJson(call, { error: { message: 'Incorrect API key provided' } }, 401))
    const error = await expectRejection(
      InternalServerError,
      host.openai().chat.completions.create({ ...ASK, model: host.fakeModel }),
    )
    expect(error.status).toBe(503)
    expect(error.message).not.toContain('Incorrect')
  })
}

function clientAbortCases(host: Host): void {
  test('a gateway that is not there is an APIConnectionError', async () => {
    const client = host.openai({ baseURL: 'http://127.0.0.1:9/v1' })
    await expectRejection(APIConnectionError, client.chat.completions.create(ASK))
  })

  test('leaving a whole answer is an APIUserAbortError; what the vendor made is charged all the same', async () => {
    const account = await host.newAccount()
    const controller = new AbortController()
    host.vendor.answer(async (call) => {
      controller.abort()
      setTimeout(() => sendJson(call, chatAnswer('Too late.')), 200)
    })
    const ask = { ...ASK, model: host.fakeModel }
    const pending = host.openai({ apiKey: account.key }).chat.completions.create(ask, { signal: controller.signal })
    await expectRejection(APIUserAbortError, pending)
    const [record] = await account.waitForRecords(1)
    expect(record).toMatchObject({ outcome: 'client_gone', estimated: false, input_units: 10n, output_units: 5n })
    expect(await account.spent()).toBe(10n * 2500n + 5n * 10_000n)
  })
}

/** Errors, retries and timeouts as the official SDK's typed classes. */
export function openAiErrors(host: Host): void {
  describe('refusals', () => refusalCases(host))
  describe('vendors that fail', () => vendorFailureCases(host))
  describe('clients that leave', () => clientAbortCases(host))
}
