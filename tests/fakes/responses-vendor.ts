import { addDeployment, addModel } from '../support/fixtures.ts'
import type { Json } from '../support/open-responses.ts'
import { type ApiWorld, headersOf, openApiWorld, untilModelKnown } from './api-world.ts'
import { type Call, sendJson, startStream } from './vendor.ts'

const UPSTREAM = { upstreamModel: 'upstream-model', secret: 'vendor-credential-Zq81xPv0' }
const USAGE = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 40 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 8 },
  total_tokens: 120,
}
/** What its answers cost: 60 fresh input tokens, 40 cached ones, and 20 output tokens, at TEST_UNITS. */
export const COST = 60n * 2500n + 40n * 1250n + 20n * 10000n

/** Opens a gateway with models of a vendor of responses, of a bridged vendor, and of a vendor of chats. */
export async function openResponsesWorld(): Promise<ApiWorld> {
  const world = await openApiWorld({ READER_TIMEOUT_MS: '5000' })
  const { pool, vendor } = world
  await addModel(pool, {
    id: 'fake/native',
    baseUrl: vendor.url,
    kind: 'openai',
    capabilities: ['hidden-reasoning'],
    ...UPSTREAM,
  })
  await addModel(pool, { id: 'fake/claude', baseUrl: vendor.url, kind: 'anthropic', ...UPSTREAM })
  await addModel(pool, { id: 'fake/both', baseUrl: vendor.url, kind: 'openai', ...UPSTREAM })
  await addDeployment(pool, 'fake/both', { baseUrl: vendor.url, ...UPSTREAM, priority: 1 })
  await untilModelKnown(world, 'fake/both')
  return world
}

export const reasoning = {
  id: 'rs_v1',
  type: 'reasoning',
  summary: [{ type: 'summary_text', text: 'Hm.' }],
  encrypted_content: 'enc',
}
export const call = {
  id: 'fc_v2',
  type: 'function_call',
  status: 'completed',
  call_id: 'call_v',
  name: 'f',
  arguments: '{"a":1}',
}
const part = { type: 'output_text', annotations: [], logprobs: [], text: 'Hello there.' }
export const message = { id: 'msg_v3', type: 'message', status: 'completed', role: 'assistant', content: [part] }
export const resource = (more: Json = {}): Json => ({
  id: 'resp_vendor',
  object: 'response',
  created_at: 1_700_000_000,
  completed_at: 1_700_000_001,
  status: 'completed',
  model: 'upstream-model-2026',
  output: [reasoning, message],
  error: null,
  incomplete_details: null,
  usage: USAGE,
  ...more,
})

export const eventsOf = (output: Json[], more: Json = {}): Json[] => {
  const begun = resource({ status: 'in_progress', output: [], usage: null, completed_at: null })
  const items = output.flatMap((item, output_index) => {
    const itemRef = { item_id: item.id, output_index }
    const empty = item.type === 'message' ? { content: [] } : item.type === 'reasoning' ? { summary: [] } : { arguments: '' }
    const between =
      item.type === 'message'
        ? [
            { type: 'response.content_part.added', ...itemRef, content_index: 0, part: { ...part, text: '' } },
            { type: 'response.output_text.delta', ...itemRef, content_index: 0, delta: 'Hello ', logprobs: [], obfuscation: 'x' },
            {
              type: 'response.output_text.delta',
              ...itemRef,
              content_index: 0,
              delta: 'there.',
              logprobs: [],
              obfuscation: 'xy',
            },
            { type: 'response.output_text.done', ...itemRef, content_index: 0, text: 'Hello there.', logprobs: [] },
            { type: 'response.content_part.done', ...itemRef, content_index: 0, part },
          ]
        : item.type === 'reasoning'
          ? [
              {
                type: 'response.reasoning_summary_part.added',
                ...itemRef,
                summary_index: 0,
                part: { type: 'summary_text', text: '' },
              },
              { type: 'response.reasoning_summary_text.delta', ...itemRef, summary_index: 0, delta: 'Hm.' },
              { type: 'response.reasoning_summary_text.done', ...itemRef, summary_index: 0, text: 'Hm.' },
              {
                type: 'response.reasoning_summary_part.done',
                ...itemRef,
                summary_index: 0,
                part: { type: 'summary_text', text: 'Hm.' },
              },
            ]
          : item.type === 'web_search_call'
            ? ['in_progress', 'searching', 'completed'].map((state) => ({
                type: `response.web_search_call.${state}`,
                ...itemRef,
              }))
            : [
                { type: 'response.function_call_arguments.delta', ...itemRef, delta: '{"a":1}' },
                { type: 'response.function_call_arguments.done', ...itemRef, name: 'f', arguments: '{"a":1}' },
              ]
    return [
      {
        type: 'response.output_item.added',
        output_index,
        item: { ...item, ...empty, ...(item.status ? { status: 'in_progress' } : {}) },
      },
      ...between,
      { type: 'response.output_item.done', output_index, item },
    ]
  })
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items,
    { type: 'response.completed', response: resource({ output, ...more }) },
  ].map((event, sequence_number) => ({ ...event, sequence_number }))
}

/** Answers with these items in the wire format of responses, as a stream if requested. */
export function sendNative(to: Call, output: Json[], more: Json = {}): void {
  if (to.body.stream !== true) {
    sendJson(to, resource({ output, ...more }))
    return
  }
  startStream(to)
  for (const event of eventsOf(output, more)) to.response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  to.response.end()
}

/** How to create a response with a holder's key, and how to retrieve a stored one. */
export const createResponsesClient = (world: () => ApiWorld) => ({
  post: (secret: string, body: Json) =>
    world().send({ path: '/v1/responses', headers: headersOf(secret), body: JSON.stringify({ input: 'Hello.', ...body }) }),
  get: (secret: string, id: unknown) =>
    world().send({ method: 'GET', path: `/v1/responses/${String(id)}`, headers: headersOf(secret) }),
})
