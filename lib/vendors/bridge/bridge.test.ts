import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Connection } from '../../domain/catalog.ts'
import { asVendorFailure, type LanguageCall } from '../vendor.ts'
import { anthropic } from './anthropic.ts'
import { createBridged } from './bridge.ts'
import type { Dialect, Outgoing, ProviderSettings } from './dialect.ts'
import { google } from './google.ts'

let server: Server
let received: string[] = []
/** The headers of what was received. */
let receivedHeaders: string[] = []
let answer = { status: 200, body: '{}' }

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    received.push(text)
    receivedHeaders.push(JSON.stringify(request.headers))
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  received = []
  receivedHeaders = []
  answer = { status: 200, body: '{}' }
})

const connection = (): Connection => ({
  id: 'con',
  name: 'con',
  kind: 'test',
  baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  secret: 'secret',
  headers: {},
  connectTimeoutMs: 1000,
  headersTimeoutMs: 1000,
  idleTimeoutMs: 1000,
})

type Ask = (settings: ProviderSettings, options: LanguageModelV4CallOptions) => Promise<unknown>

/** A dialect whose package uses its `fetch` as a test wants. */
const dialect = (doGenerate: Ask, more: Partial<Dialect> = {}): Dialect => ({
  ...anthropic,
  async load() {
    return (settings) =>
      ({ doGenerate: (options: LanguageModelV4CallOptions) => doGenerate(settings, options) }) as unknown as LanguageModelV4
  },
  ...more,
})

const post = ({ baseUrl, fetch }: ProviderSettings, body: unknown) =>
  fetch(`${baseUrl}/messages`, { method: 'POST', headers: {}, body: typeof body === 'string' ? body : JSON.stringify(body) })

const call = (more: Partial<LanguageCall> = {}): LanguageCall => ({
  deployment: { id: 'dep', upstreamModel: 'm', weight: 1, priority: 1, connection: connection() },
  connection: connection(),
  ask: { options: { prompt: [] }, extras: {}, ignored: [] },
  stream: false,
  cap: 100,
  choices: 1,
  signal: new AbortController().signal,
  onSent: () => undefined,
  ...more,
})

const run = async (ask: Ask, more: Partial<LanguageCall> = {}, changes: Partial<Dialect> = {}) => {
  const vendor = createBridged(connection(), dialect(ask, changes))
  try {
    return await vendor.bridge?.run(call(more))
  } finally {
    await vendor.close?.()
  }
}

const failureOf = (running: Promise<unknown>) => running.then(() => null, asVendorFailure)

const USED = { inputTokens: { total: 1 }, outputTokens: { total: 1 } }
const RESULT = { content: [], finishReason: { unified: 'stop' }, usage: USED, warnings: [] }

describe('the last gate', () => {
  const over: [string, unknown][] = [
    ['a cap above the hold', { max_tokens: 101 }],
    ['a budget for thoughts above the hold', { max_tokens: 100, thinking: { type: 'adaptive', budget_tokens: 101 } }],
    ['no cap', { model: 'm' }],
    ['a cap that is no number', { max_tokens: '100' }],
    ['something that is no object', '"text"'],
    ['null', 'null'],
  ]
  it.each(over)('refuses %s, and nothing is sent', async (_, body) => {
    expect(await failureOf(run((settings) => post(settings, body)))).toMatchObject({ kind: 'over_cap' })
    expect(received).toEqual([])
  })

  it('lets a request through whose cap is held', async () => {
    const passed = await run(async (settings) => {
      await post(settings, { max_tokens: 100 })
      return RESULT
    })
    expect(passed).toMatchObject({ k: 'parts', status: 200 })
    expect(received).toEqual(['{"max_tokens":100}'])
  })

  it('lets one request through for each choice, and no second one', async () => {
    const twice = run(async (settings) => {
      await post(settings, { max_tokens: 50 })
      await post(settings, { max_tokens: 50 })
      return RESULT
    })
    expect(await failureOf(twice)).toMatchObject({ kind: 'over_cap', detail: expect.stringContaining('second') })
    expect(received.length).toBe(1)
    await run(
      async (settings) => {
        await post(settings, { max_tokens: 100 })
        return RESULT
      },
      { choices: 3 },
    )
    expect(received.length).toBe(4)
  })

  it('is told the cap as the most that a package may ask for', async () => {
    const asked: unknown[] = []
    await run(async (_, options) => {
      asked.push(options.maxOutputTokens)
      return RESULT
    })
    expect(asked).toEqual([100])
  })
})

describe('fit and capOf', () => {
  const fits = (kind: Dialect, body: Outgoing, cap: number) => {
    const { body: fitted, ignored } = kind.fit(body, cap)
    expect(kind.capOf(fitted ?? body)).toBeLessThanOrEqual(cap)
    return { fitted: fitted ?? body, ignored }
  }

  it.each([1024, 1280, 2000, 38_500, 200_000])('Anthropic: thoughts and answer fit into %s', (cap) => {
    const body = { max_tokens: cap + 38_400, thinking: { type: 'enabled', budget_tokens: 38_400 }, messages: [1] }
    const { fitted, ignored } = fits(anthropic, body, cap)
    expect(fitted).toMatchObject({ max_tokens: cap, messages: [1] })
    const budget = (fitted.thinking as { budget_tokens?: number } | undefined)?.budget_tokens
    if (budget === undefined) expect(ignored).toEqual(['reasoning_effort'])
    else {
      expect(budget).toBeGreaterThanOrEqual(1024)
      expect(budget).toBeLessThan(cap)
      expect(ignored).toEqual([])
    }
  })

  it('Google: what caps are missing or multiplied is more than any hold', () => {
    expect(google.capOf({})).toBe(Number.POSITIVE_INFINITY)
    expect(google.capOf({ generationConfig: { maxOutputTokens: 100 } })).toBe(100)
    expect(google.capOf({ generationConfig: { maxOutputTokens: 100, candidateCount: 3 } })).toBe(300)
  })

  it('what fits goes as it is', () => {
    expect(anthropic.fit({ max_tokens: 100 }, 100)).toEqual({ body: null, ignored: [] })
    expect(google.fit({ generationConfig: { maxOutputTokens: 100 } }, 100)).toEqual({ body: null, ignored: [] })
  })
})

describe('what a package throws', () => {
  const thrown = (error: unknown, sent = true) =>
    run(async (settings) => {
      if (sent) await post(settings, { max_tokens: 1 })
      throw error
    })
  const textOf = async (answered: Awaited<ReturnType<typeof run>>) => {
    if (answered?.k !== 'wire') throw new Error('not an error answer')
    const chunks: Uint8Array[] = []
    for await (const chunk of answered.body) chunks.push(chunk)
    return { status: answered.status, headers: answered.headers, text: Buffer.concat(chunks).toString() }
  }

  it("is the vendor's own error answer, where there was one", async () => {
    const error = { statusCode: 429, responseBody: '{"error":{"message":"slow"}}', responseHeaders: { 'retry-after': '3' } }
    const expected = { status: 429, headers: { 'retry-after': '3' }, text: error.responseBody }
    expect(await textOf(await thrown(error))).toEqual(expected)
  })

  it('is a 400 without the request in it, where the package cannot write the request', async () => {
    const error = Object.assign(new Error('value: the prompt'), { name: 'AI_InvalidPromptError', value: 'the prompt' })
    const { status, text } = await textOf(await thrown(error, false))
    expect(status).toBe(400)
    expect(text).not.toContain('prompt')
  })

  it.each([
    [{ code: 'ECONNREFUSED' }, 'unreachable'],
    [{ code: 'UND_ERR_HEADERS_TIMEOUT' }, 'timed_out'],
    [{ code: 'UND_ERR_SOCKET' }, 'cut'],
  ])('is told by the code of the HTTP client: %o', async (fields, kind) => {
    const cause = Object.assign(new Error('x'), fields)
    const wrapped = Object.assign(new Error('Cannot connect to API'), { name: 'AI_APICallError', cause })
    expect(await failureOf(thrown(wrapped))).toMatchObject({ kind })
  })

  it('is unreadable, where an answer is not what it should be', async () => {
    expect(await failureOf(thrown(Object.assign(new Error('x'), { name: 'AI_APICallError', statusCode: 200 })))).toMatchObject({
      kind: 'unreadable',
      detail: 'AI_APICallError',
    })
  })

  it('ends the other choices too', async () => {
    const aborted: boolean[] = []
    let first = true
    const failing = run(
      async (_, { abortSignal }) => {
        if (first) {
          first = false
          throw { statusCode: 500, responseBody: '' }
        }
        await new Promise((resolve) => abortSignal?.addEventListener('abort', resolve))
        aborted.push(true)
        return RESULT
      },
      { choices: 3 },
    )
    expect((await textOf(await failing)).status).toBe(500)
    await expect.poll(() => aborted.length).toBe(2)
  })

  it('is cut to what anyone reads of an error', async () => {
    answer = { status: 500, body: 'x'.repeat(1_000_000) }
    const { text } = await textOf(
      await run(async (settings) => {
        const response = await post(settings, { max_tokens: 1 })
        throw { statusCode: response.status, responseBody: await response.text() }
      }),
    )
    expect(text.length).toBeLessThanOrEqual(64 * 1024)
  })
})

it('a connection without an address is misconfigured, and a credential never comes from the environment', async () => {
  for (const kind of [anthropic, google]) {
    const vendor = createBridged({ ...connection(), baseUrl: null }, kind)
    expect(await failureOf(Promise.resolve(vendor.bridge?.run(call())))).toMatchObject({ kind: 'misconfigured' })
    await vendor.close?.()
  }
  const names = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY']
  for (const name of names) vi.stubEnv(name, name.endsWith('URL') ? 'http://127.0.0.1:9/' : 'sk-of-the-house')
  try {
    const prompt: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }]
    for (const kind of [anthropic, google]) {
      const vendor = createBridged({ ...connection(), secret: null }, kind)
      await vendor.bridge?.run(call({ ask: { options: { prompt }, extras: {}, ignored: [] } })).catch(() => undefined)
      await vendor.close?.()
    }
  } finally {
    vi.unstubAllEnvs()
  }
  expect(received.length).toBe(2)
  expect(receivedHeaders.join()).not.toContain('sk-of-the-house')
})

it('a package is loaded when it is first asked, and not before', async () => {
  let loads = 0
  const load = async () => {
    loads++
    return () => ({ doGenerate: async () => RESULT }) as unknown as LanguageModelV4
  }
  const vendor = createBridged(connection(), { ...anthropic, load })
  expect(vendor.bridge?.skills('m')).toMatchObject({ vendor: 'anthropic' })
  expect(loads).toBe(0)
  await vendor.bridge?.run(call())
  expect(loads).toBe(1)
  await vendor.close?.()
})
