import { z } from 'zod'
import { Refusal, refuseField } from '../domain/errors.ts'
import { formatDecimal } from '../domain/money.ts'
import type { FoundResponse } from '../domain/stored-response.ts'
import { NO_USAGE } from '../domain/usage.ts'
import type { ReadEndpoint, ReadRequest } from './endpoint.ts'
import { type JsonObject, type JsonValue, jsonNumber, objectsIn } from './json.ts'
import { deletedAnswer, inputItemsAnswer, responseAnswer } from './responses/answer.ts'
import { inputId, isResponseId } from './responses/ids.ts'
import { writeResponsesUsage } from './responses/usage.ts'

const unknownResponse = (id: string): Refusal =>
  new Refusal(
    'unknown_response',
    `There is no response "${id.slice(0, 100)}". It was never stored, or it was deleted or has expired.`,
    { param: 'response_id' },
  )

async function findOrThrow({ params: { id = '' }, accountId, ports }: ReadRequest): Promise<FoundResponse> {
  const found = isResponseId(id) ? await ports.responses.find(accountId, id) : null
  if (!found) throw unknownResponse(id)
  return found
}

/** The response with its usage, and with the cost that is in its usage record. */
function withPaidUsage({ response, paid }: FoundResponse): JsonObject {
  const resource = response as JsonObject
  if (!paid) return resource
  const usage = resource.usage ?? writeResponsesUsage({ ...NO_USAGE, ...paid, cacheWrite: 0n, requests: 1n }, null)
  return { ...resource, usage: { ...(usage as JsonObject), cost: jsonNumber(formatDecimal(paid.chargedNano)) } }
}

/** GET /v1/responses/{id}: a stored response, as it was returned. */
export const retrieveResponse: ReadEndpoint = {
  kind: 'read',
  name: 'responses.retrieve',
  method: 'GET',
  docs: {
    summary: 'Retrieve a stored response',
    description: 'Returns a response that has ended. A response that is in progress or has failed is not stored.',
    answers: { 'application/json': responseAnswer },
    refusals: ['invalid_request', 'unknown_response'],
  },
  async read(ask) {
    if (ask.query.get('stream') === 'true')
      throw refuseField('stream', 'A stored response cannot be streamed again. Ask for it without "stream".')
    return withPaidUsage(await findOrThrow(ask))
  },
}

/** DELETE /v1/responses/{id}. Responses that continue it can still be retrieved, but not continued. */
export const deleteResponse: ReadEndpoint = {
  kind: 'read',
  name: 'responses.delete',
  method: 'DELETE',
  docs: {
    summary: 'Delete a stored response',
    answers: { 'application/json': deletedAnswer },
    refusals: ['unknown_response'],
  },
  async read({ params: { id = '' }, accountId, ports }) {
    if (!isResponseId(id) || !(await ports.responses.remove(accountId, id))) throw unknownResponse(id)
    return { id, object: 'response', deleted: true }
  },
}

const ORDERS = ['asc', 'desc'] as const
const DEFAULT_ORDER = 'desc'
const DEFAULT_LIMIT = 20
const MAX_ITEMS = 100

const page = z.object({
  limit: z.number().int().min(1).max(MAX_ITEMS).default(DEFAULT_LIMIT).describe('The maximum number of items.'),
  order: z.enum(ORDERS).default(DEFAULT_ORDER).describe('`desc` lists the newest item first, `asc` the oldest.'),
  after: z.string().optional().describe('The id of an item. Only items after it are listed.'),
})

/** GET /v1/responses/{id}/input_items: the input of the response's own request, newest first. */
export const listInputItems: ReadEndpoint = {
  kind: 'read',
  name: 'responses.input_items',
  method: 'GET',
  docs: {
    summary: 'List the input items of a stored response',
    query: page,
    answers: { 'application/json': inputItemsAnswer },
    refusals: ['invalid_request', 'unknown_response'],
  },
  async read(ask) {
    const { limit, order, after } = parsePageQuery(ask.query)
    const { id, input } = await findOrThrow(ask)
    const items = shownItems(input as JsonObject[], id)
    if (order === 'desc') items.reverse()
    const start = after === null ? 0 : items.findIndex((item) => item.id === after) + 1
    if (after !== null && start === 0) throw refuseField('after', 'The response has no input item with this id.')
    const data = items.slice(start, start + limit)
    return {
      object: 'list',
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: start + limit < items.length,
    }
  },
}

function parsePageQuery(query: URLSearchParams): { limit: number; order: string; after: string | null } {
  const limitText = query.get('limit') ?? String(DEFAULT_LIMIT)
  const limit = Number(limitText)
  // Number also reads `0x5`, `1e1` and blanks, which are not numbers in an address.
  if (!/^\d+$/.test(limitText) || limit < 1 || limit > MAX_ITEMS)
    throw refuseField('limit', `The field "limit" must be a whole number from 1 to ${MAX_ITEMS}.`)
  const order = query.get('order') ?? DEFAULT_ORDER
  if (!(ORDERS as readonly string[]).includes(order)) throw refuseField('order', 'The field "order" must be "asc" or "desc".')
  return { limit, order, after: query.get('after') }
}

/**
 * Fields that parts of answers always have, and parts of requests may lack. Source: the OpenAI API, version 2.3.0, ItemResource.
 */
const PART_DEFAULTS: Readonly<Record<string, JsonObject>> = {
  output_text: { annotations: [], logprobs: [] },
  input_image: { detail: 'auto' },
}

/** The fields that are not null: requests may name a field without a value. */
const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null))

const shownPart = (part: JsonObject): JsonObject => ({ ...PART_DEFAULTS[String(part.type)], ...withoutNulls(part) })
const shownParts = (parts: JsonValue): JsonValue => (Array.isArray(parts) ? objectsIn(parts).map(shownPart) : parts)

/** Items as they are shown. An item keeps its sender's id unless that appears twice, because pages begin after an id. */
function shownItems(input: readonly JsonObject[], responseId: string): JsonObject[] {
  const ids = new Set<JsonValue | undefined>()
  return input.map((item, index) => {
    const shown = shownItem(item, responseId, index)
    const id = ids.has(shown.id) ? inputId(responseId, shown.type, index) : shown.id
    ids.add(id)
    return { ...shown, id }
  })
}

/** An item as it is shown: with an id, its text in parts, and everything that its readers look for. */
function shownItem(item: JsonObject, responseId: string, index: number): JsonObject {
  const present = withoutNulls(item)
  const type = present.type ?? 'message'
  const shown: JsonObject = { ...present, type, id: present.id ?? inputId(responseId, type, index) }
  if (type === 'reasoning') return { summary: [], ...shown }
  const { content, output } = present
  const partType = present.role === 'assistant' ? 'output_text' : 'input_text'
  const parts = typeof content === 'string' ? [{ type: partType, text: content }] : content
  return {
    ...shown,
    status: present.status ?? 'completed',
    ...(parts === undefined ? {} : { content: shownParts(parts) }),
    ...(output === undefined ? {} : { output: shownParts(output) }),
  }
}
