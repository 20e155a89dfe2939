import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ChatTap } from '#lib/wire/chat-tap'
import { type ApiWorld, expectError, headersOf, knows, openApiWorld } from '../fakes/api-world.ts'
import { RECORDED, recordedExists, sayRecorded, sendEvents } from '../fakes/bridged-vendors.ts'
import { eventsOf } from '../support/raw-client.ts'
import { referenceRequired } from '../support/reference.ts'
import { addModel } from '../support/world.ts'

/** Dollars per million tokens: 1 for input, a tenth of that where it was cached, 5 for output. */
const UNITS = { input: '1000000000', cached_input: '100000000', output: '5000000000' }

/** What stands in a recorded file, read by eye. */
interface Expected {
  kind: string
  finish: string
  /** Tokens of input, how many of those were cached, of output with all thoughts, and how many of those were thoughts. */
  used: [number, number, number, number]
  says?: RegExp
  calls?: string[]
}

const says = (kind: string, used: Expected['used'], text: RegExp, finish = 'stop'): Expected => ({
  kind,
  used,
  says: text,
  finish,
})
const calls = (kind: string, used: Expected['used'], ...all: string[]): Expected => ({
  kind,
  used,
  calls: all,
  finish: 'tool_calls',
})
const CITY = '{"location": "San Francisco"}'
const TIGHT_CITY = '{"location":"San Francisco"}'

const CHATS: Record<string, Expected> = {
  'alibaba/alibaba-reasoning.json': says('alibaba', [24, 0, 1668, 1353], /^The word .*Answer: 3\*\* 🍓$/s),
  'alibaba/alibaba-reasoning.chunks.txt': says('alibaba', [24, 0, 1355, 1084], /^The word .*Answer: 3\*\*$/s),
  'alibaba/alibaba-text.json': says('alibaba', [18, 0, 1064, 0], /^## The Festival of Forgotten T/),
  'alibaba/alibaba-text.chunks.txt': says('alibaba', [18, 0, 779, 0], /woven together\."\*$/),
  'alibaba/alibaba-tool-call.json': calls('alibaba', [295, 0, 22, 0], CITY),
  'alibaba/alibaba-tool-call.chunks.txt': calls('alibaba', [295, 0, 22, 0], CITY),
  'azure/azure-deepseek-reasoning.1.json': says('azure', [19, 0, 1969, 0], /^Absolutely! Based on/),
  'azure/azure-deepseek-reasoning.1.chunks.txt': says('azure', [19, 0, 1720, 0], /^Exciting news, Knick/),
  // Its first chunk has no choice, and says what a filter found in the prompt.
  'openai/chat/azure-model-router.1.chunks.txt': says('azure', [15, 0, 78, 64], /^Capital of Denmark\.$/),
  'deepseek/chat/deepseek-json.json': says('deepseek', [495, 320, 144, 118], /^\{\n {2}"location": "San Francisco/),
  'deepseek/chat/deepseek-reasoning.json': says('deepseek', [18, 0, 345, 315], /two before the "y"\.$/),
  'deepseek/chat/deepseek-reasoning.chunks.txt': says('deepseek', [18, 0, 219, 205], /contains three "r"s\.$/),
  'deepseek/chat/deepseek-text.json': says('deepseek', [13, 0, 300, 0], /people exchange$/, 'length'),
  'deepseek/chat/deepseek-text.chunks.txt': says('deepseek', [13, 0, 400, 0], /silent looking at$/, 'length'),
  'deepseek/chat/deepseek-tool-call.json': calls('deepseek', [339, 320, 92, 48], CITY),
  'deepseek/chat/deepseek-tool-call.chunks.txt': calls('deepseek', [339, 320, 83, 39], CITY),
  'groq/groq-reasoning.json': says('groq', [17, 0, 649, 570], /\*\*Answer:\*\* 3\.$/),
  'groq/groq-reasoning.chunks.txt': says('groq', [17, 0, 1107, 963], /boxed\{3\}\$$/),
  'groq/groq-text.json': says('groq', [45, 0, 607, 0], /more radiant world\.$/),
  'groq/groq-text.chunks.txt': says('groq', [45, 0, 662, 0], /^Introducing "Luminaria"/),
  'groq/groq-tool-call.json': calls('groq', [218, 0, 15, 0], '{}'),
  'groq/groq-tool-call.chunks.txt': calls('groq', [210, 0, 15, 0], '{}'),
  // Its cached tokens stand beside the others.
  'moonshotai/moonshotai-reasoning.json': says('moonshot', [20, 10, 30, 22], /^There are three\.$/),
  'moonshotai/moonshotai-stream.chunks.txt': says('moonshot', [9, 0, 12, 7], /^Hello!$/),
  'moonshotai/moonshotai-text.json': says('moonshot', [9, 0, 5, 0], /^Hello, world!$/),
  'moonshotai/moonshotai-tool-call.json': calls('moonshot', [30, 0, 12, 0], '{"city":"Paris"}'),
  'perplexity/perplexity-text.json': says('perplexity', [11, 0, 392, 0], /^\*\*EcoVista Day\*\* is a new/),
  // Each chunk has a running count.
  'perplexity/perplexity-text.chunks.txt': says('perplexity', [11, 0, 434, 0], /^\*\*EcoVista Day\*\*\[1\]\[5\]$/),
  // Thoughts come on top of the completion: 12 + 1 + 228 = 241.
  'xai/xai-text.json': says('xai', [12, 2, 229, 228], /^Hello$/),
  'xai/xai-text.chunks.txt': says('xai', [12, 11, 291, 290], /^Hello$/),
  'xai/xai-tool-call.json': calls('xai', [291, 244, 215, 189], TIGHT_CITY),
  'xai/xai-tool-call.chunks.txt': calls('xai', [291, 290, 222, 196], TIGHT_CITY),
  'openai-compatible/chat/xai-text.json': says('openai-compatible', [12, 2, 322, 320], /^Grok$/),
  'openai-compatible/chat/xai-text.chunks.txt': says('openai-compatible', [12, 11, 342, 340], /^Grok$/),
  'openai-compatible/chat/xai-tool-call.json': calls('openai-compatible', [307, 244, 281, 255], TIGHT_CITY),
  'openai-compatible/chat/xai-tool-call.chunks.txt': calls('openai-compatible', [307, 306, 253, 227], TIGHT_CITY),
  'openai/chat/openai-text.json': says('openai', [16, 0, 363, 0], /^\*\*Holiday Name:\*\* Ga/),
  'openai/chat/openai-text.chunks.txt': says('openai', [16, 0, 300, 0], /mutual respect\.$/, 'stop'),
}

const RESPONSES: Record<string, Pick<Expected, 'kind' | 'used'>> = {
  'azure/azure-text.1.json': { kind: 'azure', used: [11, 0, 11, 0] },
  'azure/azure-text.1.chunks.txt': { kind: 'azure', used: [11, 0, 11, 0] },
  'azure/azure-tool-call.1.json': { kind: 'azure', used: [45, 0, 24, 0] },
  'azure/azure-tool-call.1.chunks.txt': { kind: 'azure', used: [45, 0, 24, 0] },
  'xai/responses/xai-text-streaming.1.chunks.txt': { kind: 'xai', used: [216, 192, 863, 237] },
  'xai/responses/xai-text-with-reasoning-streaming-store-false.1.chunks.txt': { kind: 'xai', used: [216, 192, 831, 253] },
  'xai/responses/xai-text-with-reasoning-streaming.1.chunks.txt': { kind: 'xai', used: [216, 192, 923, 323] },
}

const KINDS = [...new Set([...Object.values(CHATS), ...Object.values(RESPONSES)].map(({ kind }) => kind))]

const costOf = ([input, cached, output]: Expected['used']): bigint =>
  BigInt((input - cached) * 1000 + cached * 100 + output * 5000)

// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
type Json = any

const linesOf = (file: string): string[] =>
  readFileSync(resolve(RECORDED, file), 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')

/** All that a stream's deltas say, and the arguments of its calls. */
function joined(chunks: Json[]): { content: string; calls: string[] } {
  const all: string[] = []
  let content = ''
  for (const { delta } of chunks.flatMap((chunk) => chunk.choices)) {
    content += delta?.content ?? ''
    for (const { index, function: body } of delta?.tool_calls ?? []) all[index] = (all[index] ?? '') + (body?.arguments ?? '')
  }
  return { content, calls: all.filter((one) => one !== undefined) }
}

test('the recorded answers are there, where they have to be', () => {
  expect(recordedExists || !referenceRequired, RECORDED).toBe(true)
})

describe.skipIf(!recordedExists)(`recorded answers (${recordedExists ? 'found' : 'skipped: no ../shared/reference'})`, () => {
  let world: ApiWorld

  beforeAll(async () => {
    world = await openApiWorld()
    for (const kind of KINDS) await addModel(world.pool, { id: `fake/${kind}`, baseUrl: world.vendor.url, kind, units: UNITS })
    await knows(world, `fake/${KINDS.at(-1)}`)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  test.each(Object.entries(CHATS))('%s', async (file, { kind, finish, used, says: text, calls: args }) => {
    const stream = file.endsWith('.txt')
    const holder = await world.holder()
    world.vendor.answer(stream ? (call) => sendEvents(call, [...linesOf(file), '[DONE]']) : sayRecorded(file))
    const ask = { model: `fake/${kind}`, ...(stream ? { stream, stream_options: { include_usage: true } } : {}) }
    const answer = await world.chat(holder.secret, ask)
    expect(answer.status, answer.text).toBe(200)
    const parts: Json[] = stream
      ? eventsOf(answer.body)
          .slice(0, -1)
          .map((data) => JSON.parse(data))
      : [answer.json()]
    for (const part of parts) expect(part.model).toBe(`fake/${kind}`)
    const { message } = parts[0].choices[0] ?? {}
    const said = stream
      ? joined(parts)
      : { content: message.content ?? '', calls: (message.tool_calls ?? []).map((call: Json) => call.function.arguments) }
    expect(said.content).toMatch(text ?? /^$/)
    expect(said.calls).toEqual(args ?? [])
    expect(parts.flatMap((part) => part.choices).findLast((choice) => choice.finish_reason)?.finish_reason).toBe(finish)

    const [input, cached, output, reasoning] = used
    const usage = parts.at(-1).usage
    expect(usage).toMatchObject({
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: cached },
      completion_tokens_details: { reasoning_tokens: reasoning },
    })
    // What the vendor asks of the gateway is nobody else's business.
    expect(answer.text).not.toMatch(/cost_in_usd_ticks/)
    expect(parts.filter((part) => part.usage != null)).toHaveLength(1)
    expect(await world.record(holder.accountId)).toMatchObject({
      outcome: 'finished',
      estimated: false,
      charged: costOf(used),
      reasoning: BigInt(reasoning),
      finishReason: finish,
    })
    await world.expectWhole(holder, 1)
  })

  test.each(Object.entries(RESPONSES))('%s', async (file, { kind, used }) => {
    const stream = file.endsWith('.txt')
    const holder = await world.holder()
    world.vendor.answer(stream ? (call) => sendEvents(call, linesOf(file)) : sayRecorded(file))
    const body = JSON.stringify({ model: `fake/${kind}`, input: 'Hi', ...(stream ? { stream } : {}) })
    const answer = await world.send({ path: '/v1/responses', headers: headersOf(holder.secret), body })
    expect(answer.status, answer.text).toBe(200)
    expect(world.vendor.calls.at(-1)).toMatchObject({ path: '/v1/responses', body: { store: false } })
    expect(await world.record(holder.accountId)).toMatchObject({ estimated: false, charged: costOf(used) })
    await world.expectWhole(holder, 1)
  })

  test('an error that names a parameter is a 400 that names it', async () => {
    const holder = await world.holder()
    world.vendor.answer(sayRecorded('openai/chat/reasoning-model-legacy-parameter-error.json', 400))
    const answer = await world.chat(holder.secret, { model: 'fake/openai' })
    expectError(answer, { condition: 'invalid_request', param: 'max_tokens', message: /Unsupported parameter/ })
    expect((await world.record(holder.accountId)).charged).toBe(0n)
  })
})

/** Splits in two are tried at the end, where the usage is; in large streams not all of them. */
const SPLIT_BYTES = 3000

describe.skipIf(!recordedExists)('recorded streams, split anywhere', () => {
  const files = Object.keys(CHATS).filter((file) => file.endsWith('.txt'))
  const read = (pieces: Buffer[]): { out: string; end: Json } => {
    const tap = new ChatTap({ modelId: 'fake/model', wantsUsage: true })
    const out = Buffer.concat(pieces.map((piece) => tap.push(piece)))
    expect(tap.broken).toBeNull()
    return { out: out.toString('utf8'), end: tap.end() }
  }

  test.each(files)('%s', (file) => {
    const bytes = Buffer.from([...linesOf(file), '[DONE]'].map((line) => `data: ${line}\n\n`).join(''))
    const whole = read([bytes])
    expect(whole.end.complete).toBe(true)
    // Every split at once: each byte comes alone.
    expect(read(Array.from(bytes, (_, at) => bytes.subarray(at, at + 1)))).toEqual(whole)
    const step = Math.ceil(bytes.length / 20_000)
    for (let at = Math.max(1, bytes.length - SPLIT_BYTES); at < bytes.length; at += step)
      expect(read([bytes.subarray(0, at), bytes.subarray(at)]).end).toEqual(whole.end)
  })
})
