import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld, UPSTREAM_MODEL, untilModelKnown, VENDOR_SECRET } from '../fakes/api-world.ts'
import { type Call, chatAnswer, chatChunk, sendJson, usageChunk, usageOf } from '../fakes/vendor.ts'
import { respondBytes, streamText } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { eventsOf } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const upstream = { upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET }
  await addModel(world.pool, { id: 'fake/openai', baseUrl: `${world.vendor.url}/`, kind: 'openai', ...upstream })
  await addModel(world.pool, { id: 'fake/open', baseUrl: world.vendor.url, upstreamModel: UPSTREAM_MODEL })
  await untilModelKnown(world, 'fake/open')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const KINDS = [
  ['openai-compatible', 'fake/chat', 'max_tokens', 'max_completion_tokens'],
  ['openai', 'fake/openai', 'max_completion_tokens', 'max_tokens'],
] as const

/** Sends a request, and returns what the vendor received. */
async function sendAndCapture(body: object, headers: [string, string][] = []): Promise<Call> {
  const { secret } = await world.holder()
  world.vendor.answer((call) =>
    call.body.stream
      ? respondBytes(streamText([chatChunk('x', 'stop'), usageChunk(usageOf(10, 1)), '[DONE]']))(call)
      : sendJson(call, chatAnswer('x')),
  )
  const callsBefore = world.vendor.calls.length
  const answer = await world.chat(secret, body, headers)
  expect(answer.status, answer.text).toBe(200)
  expect(world.vendor.calls.length).toBe(callsBefore + 1)
  const call = world.vendor.calls.at(-1)
  if (!call) throw new Error('no call')
  return call
}

describe.each(KINDS)('a vendor of the kind %s', (kind, model, capField, otherField) => {
  test('is called at its address with its own name of the model', async () => {
    const call = await sendAndCapture({ model })
    expect(call.path).toBe('/v1/chat/completions')
    expect(call.request.method).toBe('POST')
    expect(call.body.model).toBe(UPSTREAM_MODEL)
  })

  test('gets the cap in the field that it knows, whatever field the client used', async () => {
    for (const field of ['max_tokens', 'max_completion_tokens']) {
      const { body } = await sendAndCapture({ model, [field]: 77 })
      expect(body[capField]).toBe(77)
      expect(body).not.toHaveProperty(otherField)
    }
    const { body } = await sendAndCapture({ model, max_tokens: 77, max_completion_tokens: 77 })
    expect(body).toMatchObject({ [capField]: 77 })
    expect(body).not.toHaveProperty(otherField)
  })

  test("gets a cap when the client named none, within the model's maximum", async () => {
    const { body } = await sendAndCapture({ model, max_tokens: null })
    expect(body[capField]).toBeGreaterThanOrEqual(4096)
    expect(body[capField]).toBeLessThanOrEqual(16_384)
  })

  test.each([true, false, null, undefined])('gets store: false or nothing, where the client said %s', async (store) => {
    const { body } = await sendAndCapture({ model, store })
    if (kind === 'openai') expect(body.store).toBe(false)
    else expect(body).not.toHaveProperty('store')
  })

  test('is always asked for usage in a stream, and never otherwise', async () => {
    const options = [undefined, null, {}, { include_usage: false }, { include_usage: true }, { include_obfuscation: false }]
    for (const stream_options of options) {
      const { body } = await sendAndCapture({ model, stream: true, stream_options })
      expect(body.stream_options).toEqual({ ...stream_options, include_usage: true })
      expect(body.stream).toBe(true)
    }
    expect((await sendAndCapture({ model })).body).not.toHaveProperty('stream_options')
  })

  test('gets every other field as it came, known or not', async () => {
    const extraFields = {
      temperature: 0.3,
      top_p: 0.9,
      stop: ['a', 'b'],
      seed: 5,
      user: 'u',
      n: 2,
      logit_bias: { '50256': -100 },
      tools: [
        { type: 'function', function: { name: 'f', parameters: { type: 'object', 'x-own': [1, { deep: null }] }, extra: 1 } },
      ],
      tool_choice: { type: 'function', function: { name: 'f' } },
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: { $defs: {} }, more: true } },
      messages: [
        { role: 'developer', content: 'd', own: { type: 'ephemeral' } },
        { role: 'user', content: [{ type: 'text', text: 'x', own: { type: 'ephemeral' } }], name: 'n', own: [1] },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, thought: 'AA==' }],
        },
        { role: 'tool', tool_call_id: 'c', content: '\u{1f600} \u0000 \ud800' },
      ],
      unknown: { kept: [true, null, 1.5, 'x', { '': 0 }] },
      'x-dotted.name': 1,
      reasoning: { effort: 'low' },
      chat_template_kwargs: { enable_thinking: false },
    }
    const { body } = await sendAndCapture({ model, ...extraFields })
    const { model: name, [capField]: cap, store, ...rest } = body
    expect([name, typeof cap, store]).toEqual([UPSTREAM_MODEL, 'number', kind === 'openai' ? false : undefined])
    // Few vendors besides OpenAI know its role "developer".
    const [first, ...others] = extraFields.messages
    expect(rest).toEqual(
      kind === 'openai' ? extraFields : { ...extraFields, messages: [{ ...first, role: 'system' }, ...others] },
    )
  })

  test('gets tools in the form of chats, also where they came in that of responses, as from Cursor', async () => {
    const grammar = { syntax: 'lark', definition: 'start: /.+/s' }
    const parameters = { type: 'object' }
    const tools = [
      { type: 'custom', name: 'ApplyPatch', description: 'd', format: { type: 'grammar', ...grammar } },
      { type: 'custom', name: 'say', format: { type: 'text' } },
      { type: 'function', name: 'f', parameters, strict: true },
      { type: 'function', function: { name: 'g', parameters } },
    ]
    expect((await sendAndCapture({ model, tools })).body.tools).toEqual([
      { type: 'custom', custom: { name: 'ApplyPatch', description: 'd', format: { type: 'grammar', grammar } } },
      { type: 'custom', custom: { name: 'say', format: { type: 'text' } } },
      { type: 'function', function: { name: 'f', parameters, strict: true } },
      tools[3],
    ])
  })

  test("gets nothing of the client's headers", async () => {
    const { headers } = await sendAndCapture({ model }, [
      ['cookie', 'session=secret'],
      ['x-api-key', 'sk-of-the-client'],
      ['openai-organization', 'org-client'],
      ['openai-beta', 'assistants=v2'],
      ['user-agent', 'client/1'],
      ['referer', 'https://client.example'],
      ['accept-encoding', 'gzip'],
      ['x-request-id', 'client-request'],
      ['idempotency-key', `key-${model}`],
      ['proxy-authorization', 'Basic x'],
      ['traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ])
    const { host, connection, 'content-length': length, ...forwardedHeaders } = headers
    expect(forwardedHeaders).toEqual({
      'content-type': 'application/json',
      'user-agent': 'tollgate',
      'accept-encoding': 'identity',
      authorization: `Bearer ${VENDOR_SECRET}`,
    })
    expect(JSON.stringify(headers)).not.toContain('sk-tg-')
  })
})

test("a vendor without a credential is sent none, least of all the client's", async () => {
  expect((await sendAndCapture({ model: 'fake/open' })).headers).not.toHaveProperty('authorization')
})

describe('an answer', () => {
  const vendorHeaders = {
    'set-cookie': 'a=b',
    'x-request-id': 'vendor-request',
    'openai-organization': 'org-vendor',
    'openai-processing-ms': '5',
    'x-ratelimit-remaining-requests': '9999999',
    server: 'vendor/1',
    via: 'vendor',
    'cf-ray': 'x',
    'access-control-allow-origin': '*',
    'x-tollgate-cost': '0',
    'content-encoding': 'identity',
  }
  const gatewayHeaders = [
    'cache-control',
    'connection',
    'content-length',
    'content-type',
    'date',
    'keep-alive',
    'transfer-encoding',
  ]
  const allowedHeader = new RegExp(
    `^(${gatewayHeaders.join('|')}|x-accel-buffering|x-content-type-options|x-request-id|x-ratelimit-.*|x-tollgate-.*)$`,
  )

  test.each([false, true])("has none of the vendor's headers, and our name of the model (stream: %s)", async (stream) => {
    const holder = await world.holder()
    world.vendor.answer((call) => {
      if (!stream) return sendJson(call, { ...chatAnswer('x'), system_fingerprint: 'fp', own: 1 }, 200, vendorHeaders)
      call.response.writeHead(200, { ...vendorHeaders, 'content-type': 'text/event-stream' })
      call.response.end(streamText([chatChunk('x', 'stop', { own: 1 }), usageChunk(usageOf(10, 5)), '[DONE]']))
    })
    const answer = await world.chat(holder.secret, { stream })
    expect(answer.status).toBe(200)
    for (const name of answer.headers.keys()) expect(name).toMatch(allowedHeader)
    expect(answer.header('x-request-id')).toMatch(/^req_/)
    expect(answer.header('x-ratelimit-remaining-requests')).not.toBe('9999999')
    expect(answer.text).not.toMatch(/vendor-request|org-vendor|vendor\/1|cf-ray/)
    world.expectNoLeaks(answer)
    const body = stream ? JSON.parse(eventsOf(answer.body)[0] ?? '{}') : answer.json()
    // Fields of the vendor that are not part of the API are passed on.
    expect(body).toMatchObject({ model: 'fake/chat', own: 1 })
    await world.expectSettledBooks(holder, 1)
  })

  test('keeps everything of the vendor but its name of the model and the usage', async () => {
    const holder = await world.holder()
    const vendorAnswer = {
      ...chatAnswer('x \u{1f600}', usageOf(10, 5, { own: { a: 1 } })),
      own: [{ b: null }],
      system_fingerprint: 'fp_1',
    }
    world.vendor.answer((call) => sendJson(call, vendorAnswer))
    const { usage, ...rest } = (await world.chat(holder.secret)).json()
    const { usage: _, ...expected } = { ...vendorAnswer, model: 'fake/chat' }
    expect(rest).toEqual(expected)
    expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, own: { a: 1 }, cost: 0.000075 })
    expect((await world.chat(holder.secret)).header('x-tollgate-cost')).toBe('0.000075')
  })

  test.each([
    [undefined, 0],
    [{ include_usage: false }, 0],
    [{ include_usage: true }, 1],
  ])('with stream_options %o has %s chunks of usage', async (stream_options, count) => {
    const holder = await world.holder()
    const chunks = [
      chatChunk('a', null, { usage: null }),
      chatChunk(null, 'stop', { usage: usageOf(10, 4) }),
      usageChunk(usageOf(10, 5)),
    ]
    world.vendor.answer(respondBytes(streamText([...chunks, '[DONE]'])))
    const answer = await world.chat(holder.secret, { stream: true, stream_options })
    const events = eventsOf(answer.body)
      .slice(0, -1)
      .map((data) => JSON.parse(data) as { usage?: object | null; choices: object[] })
    const withUsage = events.filter((event) => event.usage)
    expect(withUsage.length).toBe(count)
    for (const event of withUsage)
      expect(event).toMatchObject({ id: 'chatcmpl-fake', model: 'fake/chat', choices: [], usage: { cost: 0.000075 } })
    expect(events.length).toBe(2 + count)
    expect((await world.record(holder.accountId)).charged).toBe(75_000n)
  })
})
