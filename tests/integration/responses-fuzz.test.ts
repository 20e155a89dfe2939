import { expect, test } from 'vitest'
import { asRefusal } from '#lib/domain/errors'
import { asStreamBrokenError } from '#lib/gateway/vendor-errors'
import { parseJsonObject } from '#lib/wire/json'
import { createResponse } from '#lib/wire/responses'
import { nonStreamingFromChat, ResponsesChatTap } from '#lib/wire/responses/chat-tap'
import { readNonStreamingNative } from '#lib/wire/responses/native'
import { NativeTap } from '#lib/wire/responses/native-tap'
import { finishPortsOf, preparedResponse } from '#lib/wire/testing'
import type { JsonObject } from '../fuzz/bodies.ts'
import { mutate } from '../fuzz/mutate.ts'
import { Random, randomSeed } from '../support/random.ts'

const ROUNDS = 2000
const head = { modelId: 'our/model', requestId: `req_${'0'.repeat(26)}`, at: new Date(1_700_000_000_000), type: '' }
const capabilities = {
  vendor: 'anthropic',
  thoughts: { format: 'anthropic-claude-v1', signature: 'signature', hidden: 'redactedData' },
  imageUrls: true,
  audio: false,
  video: false,
  files: ['application/pdf'],
  caches: true,
}

const kept = Buffer.from(
  JSON.stringify({
    field: 'reasoning_content',
    details: [{ type: 'reasoning.text', text: 'x', signature: 's', format: 'anthropic-claude-v1', index: 0 }],
    calls: { call_1: { google: { thought_signature: 's' } } },
  }),
).toString('base64url')

const REQUEST = {
  model: 'our/model',
  instructions: 'Be brief.',
  input: [
    { role: 'developer', content: [{ type: 'input_text', text: 'x' }] },
    {
      role: 'user',
      content: [
        { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'low' },
        { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      ],
    },
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: `chat.${kept}` },
    { type: 'reasoning', id: 'rs_2', summary: [], encrypted_content: 'openai.rs_v.abc' },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.', annotations: [] }] },
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{"a":1}' },
    { type: 'function_call_output', call_id: 'call_1', output: [{ type: 'input_text', text: 'done' }] },
    { type: 'item_reference', id: `msg_${'0'.repeat(26)}_0` },
  ],
  tools: [
    { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true },
    { type: 'custom', name: 'c' },
  ],
  tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'f' }] },
  text: { format: { type: 'json_schema', name: 's', schema: { type: 'object' } }, verbosity: 'low' },
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['message.output_text.logprobs'],
  metadata: { a: 'b' },
  max_output_tokens: 100,
}
const CHAT = {
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        reasoning_content: 'Hm.',
        reasoning_details: [{ type: 'reasoning.text', text: 'x', signature: 's', index: 0 }],
        content: 'Hi.',
        refusal: 'No.',
        tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content: { a: 1 } }],
      },
      logprobs: { content: [{ token: 'Hi.', logprob: 0, bytes: [1], top_logprobs: [] }] },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 2 },
}
const NATIVE = {
  type: 'response.completed',
  output_index: 0,
  item_id: 'msg_v',
  delta: 'x',
  item: { id: 'rs_v', type: 'reasoning', summary: [], encrypted_content: 'abc' },
  response: {
    status: 'completed',
    output: [{ id: 'msg_v', type: 'message', content: [{ type: 'output_text', text: 'Hi.' }] }],
    usage: { input_tokens: 1, output_tokens: 2, input_tokens_details: { cached_tokens: 1 } },
    incomplete_details: { reason: 'max_output_tokens' },
  },
}

const usage = { input: 1n, cachedInput: 0n, cacheWrite: 0n, output: 1n, reasoning: 0n, requests: 1n }
const seed = randomSeed()

/** Runs work on input that is nearly right. Whatever it throws must be one of the known refusals of such input. */
async function expectKnownErrors(
  name: string,
  good: object,
  work: (bytes: Buffer) => Promise<void>,
  known: (error: unknown) => unknown,
) {
  let passed = 0
  for (let round = 0; round < ROUNDS; round++) {
    const random = new Random(`${seed}:${name}:${round}`)
    const mutant = mutate(structuredClone(good) as JsonObject, random)
    const bytes = Buffer.from(JSON.stringify(mutant))
    try {
      await work(bytes)
      passed++
    } catch (error) {
      if (!known(error)) throw new Error(`seed ${seed}, round ${round}: ${bytes.toString().slice(0, 2000)}`, { cause: error })
    }
  }
  // If the mutants were always refused, the run would tell little.
  expect(passed).toBeGreaterThan(ROUNDS / 50)
}

test('requests that are nearly right are asked in every way, or refused', async () => {
  const good = { ...REQUEST, input: REQUEST.input.slice(0, -1) }
  await expectKnownErrors(
    'requests',
    good,
    async (bytes) => {
      const prepared = await preparedResponse(parseJsonObject(bytes), { thinks: true })
      for (const form of createResponse.forms) {
        form.check?.(prepared)
        expect(JSON.stringify(form.ask(prepared))).toContain('"model"')
      }
      createResponse.text(prepared)
      createResponse.redact(prepared.body)
      try {
        createResponse.language?.ask(prepared, capabilities)
      } catch (error) {
        if (!asRefusal(error)) throw error
      }
    },
    asRefusal,
  )
})

test('answers that are nearly right are told, or break off', async () => {
  const prepared = await preparedResponse({})
  await expectKnownErrors(
    'chats',
    CHAT,
    async (bytes) => {
      const nonStreaming = nonStreamingFromChat(bytes, prepared, head)
      await nonStreaming.finish?.(finishPortsOf())
      nonStreaming.text()
      JSON.parse(nonStreaming.encode(usage, 1n).toString())
    },
    asStreamBrokenError,
  )
  await expectKnownErrors(
    'responses',
    NATIVE.response,
    async (bytes) => {
      const nonStreaming = readNonStreamingNative(bytes, prepared, head)
      await nonStreaming.finish?.(finishPortsOf())
      nonStreaming.text()
      JSON.parse(nonStreaming.encode(usage, 1n).toString())
    },
    asStreamBrokenError,
  )
})

test('streams that are nearly right are told, or break off', async () => {
  const prepared = await preparedResponse({})
  const [choice] = CHAT.choices
  const chunk = { ...CHAT, choices: [{ ...choice, delta: choice?.message }] }
  for (const [name, good, make] of [
    ['chunks', chunk, () => new ResponsesChatTap(prepared, head)],
    ['events', NATIVE, () => new NativeTap(prepared, head)],
  ] as const)
    await expectKnownErrors(
      name,
      good,
      async (bytes) => {
        const tap = make()
        tap.push(Buffer.from(`data: ${bytes.toString().replaceAll('\n', ' ')}\n\n`))
        const end = tap.end()
        if (end.complete) await tap.finish(finishPortsOf())
        if (end.complete) tap.tail(usage, 1n)
        tap.text()
        tap.toAnswerJson()
        tap.fail({ message: 'x', type: 'server_error', code: 'server_error', param: null })
        if (tap.broken) throw tap.broken
      },
      asStreamBrokenError,
    )
})
