import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { respondBedrock } from '../fakes/bedrock-frames.ts'
import { type Json, messageOf } from '../fakes/bridged-chats.ts'
import { RECORDED_DIR, recordedExists, respondRecorded } from '../fakes/bridged-vendors.ts'
import { addModel } from '../support/fixtures.ts'
import { loadOpenAiDocument } from '../support/openai-document.ts'
import { eventsOf } from '../support/raw-client.ts'
import { referenceRequired } from '../support/reference.ts'

/** Dollars per million tokens: 1 for input, 5 for output. */
const UNITS = { input: '1000000000', cached_input: '100000000', output: '5000000000' }

/** What a recorded file contains, read by eye. */
interface Expected {
  finish: string
  /** Input tokens, output tokens, and how many of the output tokens were thoughts. */
  used: [number, number, number]
  /** What the answer says, or the arguments that it calls with, at least. */
  says?: RegExp
  calls?: string[]
  body?: object
}

const TOOLS = (...names: string[]) => ({
  tools: names.map((name) => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } })),
})
/** A schema that the vendor does not enforce itself: the package turns it into a tool. */
const SCHEMA = { type: 'object', additionalProperties: true }
const BY_TOOL = { response_format: { type: 'json_schema', json_schema: { name: 's', schema: SCHEMA } } }
const ISSUES = TOOLS('updateIssueList')
const WEATHER = TOOLS('weather')
const CITY = '{"location":"San Francisco"}'

const FILES: Record<string, Expected> = {
  'anthropic/anthropic-text.json': { finish: 'stop', used: [12, 29, 0], says: /^Hello! I'm doing well/ },
  'anthropic/anthropic-text.chunks.txt': { finish: 'stop', used: [12, 30, 0], says: /anything I can help you with\?$/ },
  'anthropic/anthropic-tool-no-args.json': { finish: 'tool_calls', used: [602, 93, 0], calls: ['{}'], body: ISSUES },
  'anthropic/anthropic-tool-no-args.chunks.txt': { finish: 'tool_calls', used: [565, 48, 0], calls: ['{}'], body: ISSUES },
  'anthropic/anthropic-claude-opus-5-reasoning-high.1.json': { finish: 'stop', used: [51, 1699, 139], says: /^## Step 1/ },
  'anthropic/anthropic-clear-thinking.1.json': { finish: 'stop', used: [69, 33, 0], says: /^925 ÷ 5 = 185$/ },
  'anthropic/anthropic-clear-thinking.1.chunks.txt': { finish: 'stop', used: [69, 53, 0], says: /185/ },
  'anthropic/anthropic-refusal.json': { finish: 'content_filter', used: [18, 5, 0] },
  'anthropic/anthropic-refusal.chunks.txt': { finish: 'content_filter', used: [18, 5, 0] },
  'anthropic/anthropic-refusal-no-details.json': { finish: 'content_filter', used: [18, 5, 0] },
  'anthropic/anthropic-json-tool.1.json': {
    finish: 'stop',
    used: [1151, 87, 0],
    says: /^\{"elements":\[\{"location"/,
    body: BY_TOOL,
  },
  'anthropic/anthropic-json-tool.1.chunks.txt': {
    finish: 'stop',
    used: [849, 47, 0],
    says: /^\{"elements": \[\{/,
    body: BY_TOOL,
  },
  'anthropic/anthropic-json-tool.2.chunks.txt': {
    finish: 'stop',
    used: [849, 47, 0],
    says: /^\{"elements": \[\{/,
    body: BY_TOOL,
  },
  'anthropic/anthropic-fallback.json': { finish: 'stop', used: [412, 264, 0], says: /Gutenberg around 1440\.$/ },
  'anthropic/anthropic-fallback.chunks.txt': { finish: 'stop', used: [412, 264, 0], says: /Gutenberg around 1440\.$/ },
  'anthropic/anthropic-message-delta-input-tokens.chunks.txt': { finish: 'stop', used: [61, 2, 0], says: /^pong$/ },
  // A duplicate start counts once.
  'anthropic/duplicate-message-start.chunks.txt': { finish: 'stop', used: [17, 227, 0], says: /^Hello, World!$/ },
  'google/google-text.json': { finish: 'stop', used: [9, 272, 244], says: /^There are \*\*3\*\*/ },
  'google/google-text.chunks.txt': { finish: 'stop', used: [9, 208, 185], says: /^There are \*\*3\*\*/ },
  'google/google-reasoning.json': { finish: 'stop', used: [9, 311, 282], says: /^There are \*\*3\*\*/ },
  'google/google-reasoning.chunks.txt': { finish: 'stop', used: [9, 285, 256], says: /^There are \*\*3\*\*/ },
  'google/google-reasoning-gemini3.json': { finish: 'stop', used: [9, 287, 258], says: /^There are \*\*3\*\*/ },
  'google/google-reasoning-gemini3.chunks.txt': { finish: 'stop', used: [9, 325, 302], says: /St\*\*r\*\*awbe\*\*rr\*\*y$/ },
  'google/google-tool-call.json': { finish: 'tool_calls', used: [29, 908, 893], calls: [CITY], body: WEATHER },
  'google/google-tool-call.chunks.txt': { finish: 'tool_calls', used: [29, 60, 45], calls: [CITY], body: WEATHER },
  'google/google-tool-call-gemini3.json': { finish: 'tool_calls', used: [29, 1816, 1801], calls: [CITY], body: WEATHER },
  'google/google-tool-call-gemini3.chunks.txt': { finish: 'tool_calls', used: [29, 819, 804], calls: [CITY], body: WEATHER },
  'google/google-stream-tool-call-arguments.chunks.txt': {
    finish: 'tool_calls',
    used: [26, 155, 132],
    calls: ['{"location":"Boston"}', CITY],
    body: TOOLS('getWeather'),
  },
  'google/google-stream-no-args-tool-call.chunks.txt': {
    finish: 'tool_calls',
    used: [249, 241, 183],
    calls: ['{}', '{"id":"A"}', '{"id":"B"}', '{"id":"C"}'],
    body: TOOLS('read_theme', 'read_screen'),
  },
}

const SPACED_CITY = '{"location": "San Francisco"}'

/** Kinds that sign nothing, or sign as another kind does. */
const MORE_FILES: Record<string, Expected> = {
  'mistral/mistral-text.json': { finish: 'stop', used: [13, 434, 0], says: /^\*\*Holiday Name: "World Kindness/ },
  'mistral/mistral-text.chunks.txt': { finish: 'stop', used: [13, 8, 0], says: /This is a test response\.$/ },
  'mistral/mistral-reasoning.json': { finish: 'stop', used: [10, 46, 0], says: /^2 \+ 2 = 4$/ },
  'mistral/mistral-reasoning.chunks.txt': { finish: 'stop', used: [10, 46, 0], says: /^2 \+ 2 = 4$/ },
  'mistral/mistral-tool-call.json': { finish: 'tool_calls', used: [124, 22, 0], calls: [SPACED_CITY], body: WEATHER },
  'mistral/mistral-tool-call.chunks.txt': { finish: 'tool_calls', used: [124, 22, 0], calls: [SPACED_CITY], body: WEATHER },
  // 128 of its 171 tokens came from a cache, at a tenth of the price: as much as 55.8 uncached tokens.
  'mistral/mistral-incremental-tool-call.chunks.txt': {
    finish: 'tool_calls',
    used: [55.8, 14, 0],
    calls: ['{"query": "current Berlin weather"}'],
    body: TOOLS('webSearchTool'),
  },
  // Cohere read 507 tokens, and bills 12.
  'cohere/cohere-text.json': { finish: 'stop', used: [12, 7, 0], says: /^The capital of France is Paris\.$/ },
  'cohere/cohere-text.chunks.txt': { finish: 'stop', used: [12, 7, 0], says: /Paris\.$/ },
  'cohere/cohere-tool-call.json': {
    finish: 'tool_calls',
    used: [119, 52, 0],
    calls: [CITY, '{"city":"San Francisco"}'],
    body: TOOLS('weather', 'cityAttractions'),
  },
  'cohere/cohere-tool-call.chunks.txt': {
    finish: 'tool_calls',
    used: [119, 44, 0],
    calls: [SPACED_CITY, '{"city": "San Francisco"}'],
    body: TOOLS('weather', 'cityAttractions'),
  },
  'amazon-bedrock/amazon-bedrock-text.json': { finish: 'stop', used: [22, 57, 0], says: /There are \*\*3\*\*/ },
  'amazon-bedrock/amazon-bedrock-text.chunks.txt': { finish: 'stop', used: [22, 55, 0], says: /3/ },
  'amazon-bedrock/amazon-bedrock-reasoning.json': { finish: 'stop', used: [51, 78, 0], says: /^There are \*\*3\*\* r's/ },
  'amazon-bedrock/amazon-bedrock-reasoning.chunks.txt': { finish: 'stop', used: [51, 94, 0], says: /r\*\*y$/ },
  'amazon-bedrock/amazon-bedrock-tool-call.1.json': {
    finish: 'tool_calls',
    used: [10, 20, 0],
    calls: ['{"command":"ls -l"}'],
    body: TOOLS('bash'),
  },
  'amazon-bedrock/amazon-bedrock-tool-call.1.chunks.txt': {
    finish: 'tool_calls',
    used: [125, 45, 0],
    calls: ['{"value":"Sparkle Day"}'],
    body: TOOLS('test-tool'),
  },
  'amazon-bedrock/amazon-bedrock-tool-no-args.json': { finish: 'tool_calls', used: [100, 25, 0], calls: ['{}'], body: ISSUES },
  'amazon-bedrock/amazon-bedrock-tool-no-args.chunks.txt': {
    finish: 'tool_calls',
    used: [100, 25, 0],
    calls: ['{}'],
    body: ISSUES,
  },
}

/** Gemini on Google Cloud answers as Gemini does. */
const VERTEX_FILES = Object.entries(FILES).flatMap(([file, expected]) =>
  file.startsWith('google/') ? [[file.replace('google/', 'google-vertex/'), expected] as const] : [],
)

const ALL_FILES: Record<string, Expected> = { ...FILES, ...MORE_FILES, ...Object.fromEntries(VERTEX_FILES) }

const fileOf = (name: string): string => name.replace('google-vertex/', 'google/')

/** Answers with a recorded file, as its vendor sends it. */
function respondFromFile(name: string) {
  const file = fileOf(name)
  if (!file.startsWith('amazon-bedrock/')) return respondRecorded(file)
  return respondBedrock(readFileSync(resolve(RECORDED_DIR, file), 'utf8'), file.endsWith('.txt'), 37)
}

/** Models of kinds that sign their thoughts. */
const MODELS = {
  anthropic: 'claude-opus-5',
  google: 'gemini-3.5-flash',
  'google-vertex': 'gemini-3.5-flash',
  mistral: 'magistral-medium-2507',
  cohere: 'command-a-03-2025',
  'amazon-bedrock': 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
}

/** Every signature and hidden thought in a recorded file. */
function signaturesIn(file: string): string[] {
  const text = readFileSync(resolve(RECORDED_DIR, file), 'utf8')
  return [...text.matchAll(/"(?:thoughtSignature|signature|data)":\s*"([^"]+)"/g)].map(([, signature]) => signature ?? '')
}

test('the recorded answers are there, where they have to be', () => {
  expect(recordedExists || !referenceRequired, RECORDED_DIR).toBe(true)
})

// Without the folder beside the project these are skipped, and say so. With CI=true the test above fails.
describe.skipIf(!recordedExists)(`recorded answers (${recordedExists ? 'found' : 'skipped: no ../shared/reference'})`, () => {
  let world: ApiWorld
  const document = loadOpenAiDocument()

  beforeAll(async () => {
    world = await openApiWorld()
    for (const [kind, upstreamModel] of Object.entries(MODELS))
      await addModel(world.pool, {
        id: `fake/${kind}`,
        baseUrl: world.vendor.url,
        kind,
        upstreamModel,
        units: UNITS,
        secret: 'key',
      })
    await untilModelKnown(world, 'fake/amazon-bedrock')
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each(Object.entries(ALL_FILES))('%s', async (file, { finish, used, says, calls, body }) => {
    const stream = file.endsWith('.txt')
    const model = `fake/${file.split('/')[0]}`
    const ask = { model, ...body, ...(stream ? { stream, stream_options: { include_usage: true } } : {}) }
    const holder = await world.holder()
    world.vendor.answer(respondFromFile(file))
    const answer = await world.chat(holder.secret, ask)
    expect(answer.status, answer.text).toBe(200)
    const parts: Json[] = stream
      ? eventsOf(answer.body)
          .slice(0, -1)
          .map((data) => JSON.parse(data))
      : [answer.json()]
    const schema = stream ? 'CreateChatCompletionStreamResponse' : 'CreateChatCompletionResponse'
    for (const part of parts) expect(document?.findProblems(schema, part) ?? []).toEqual([])
    const message = stream ? messageOf(parts) : parts[0].choices[0].message
    expect(message.content ?? '').toMatch(says ?? /(?:)/)
    expect(message.tool_calls?.map((call: Json) => call.function.arguments)).toEqual(calls)
    expect(parts.flatMap((part) => part.choices).findLast((choice) => choice.finish_reason)?.finish_reason).toBe(finish)
    const [input, output, reasoning] = used
    expect(await world.record(holder.accountId)).toMatchObject({
      outcome: 'finished',
      estimated: false,
      charged: BigInt(Math.round(input * 1000)) + BigInt(output) * 5000n,
      reasoning: BigInt(reasoning),
    })

    // Sent back as it came, every signature reaches the vendor again, byte for byte.
    if (finish === 'content_filter') return
    const results = (message.tool_calls ?? []).map((call: Json) => ({ role: 'tool', tool_call_id: call.id, content: 'r' }))
    const messages = [{ role: 'user', content: 'Hi' }, message, ...results, { role: 'user', content: 'And?' }]
    world.vendor.answer(respondFromFile(file))
    expect((await world.chat(holder.secret, { ...ask, messages })).status).toBe(200)
    const vendorBody = JSON.stringify(world.vendor.calls.at(-1)?.body)
    for (const signature of signaturesIn(fileOf(file))) expect(vendorBody).toContain(signature)
    await world.expectSettledBooks(holder, 2)
  })

  test('anthropic/spliced-message-start.chunks.txt breaks the stream, and ends in no [DONE]', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondRecorded('anthropic/spliced-message-start.chunks.txt'))
    const answer = await world.chat(holder.secret, { model: 'fake/anthropic', stream: true, ...TOOLS('t') })
    expect(answer.text).not.toContain('[DONE]')
    expect(answer.text).toContain('server_error')
    expect(['cut', 'vendor_failed']).toContain((await world.record(holder.accountId)).outcome)
    await world.expectSettledBooks(holder, 1)
  })

  test.each([false, true])('google/google-429-retry-info.json says how long to wait (stream: %s)', async (stream) => {
    const holder = await world.holder()
    world.vendor.answer(respondRecorded('google/google-429-retry-info.json', 429))
    const answer = await world.chat(holder.secret, { model: 'fake/google', stream })
    expectError(answer, { condition: 'too_many_requests' })
    expect(answer.header('retry-after')).toBe('35')
    expect((await world.record(holder.accountId)).charged).toBe(0n)
  })
})
