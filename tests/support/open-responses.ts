import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'vitest'
import { REFERENCE } from './reference.ts'

export type Json = Record<string, unknown>
export type ResponseEvent = Json & { type: string; sequence_number: number }

/** The Open Responses document. It is stored next to the project, not in it. */
const DOCUMENT = resolve(REFERENCE, 'openresponses/openapi-2026-04-24.json')

/** Lists the problems of a value against one of the document's schemas. Null if the document is missing. */
type FindProblems = (schema: string, value: unknown) => string[]

interface Schema {
  properties?: Record<string, { enum?: string[]; anyOf?: unknown[] }>
}

function loadOpenResponses(): { findProblems: FindProblems; eventSchemas: ReadonlyMap<string, string> } | null {
  if (!existsSync(DOCUMENT)) return null
  const { components } = JSON.parse(readFileSync(DOCUMENT, 'utf8')) as { components: { schemas: Record<string, Schema> } }
  // The document of this date allows only null for a format's schema, which no server can comply with.
  const format = components.schemas.JsonSchemaResponseFormat?.properties?.schema
  format?.anyOf?.push({ type: 'object' })
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true, validateSchema: false })
  ajv.addSchema({ $id: 'open', components })
  const eventSchemas = new Map(
    Object.entries(components.schemas).flatMap(([name, { properties }]) =>
      name.endsWith('StreamingEvent') ? [[properties?.type?.enum?.[0] ?? '', name] as const] : [],
    ),
  )
  return {
    eventSchemas,
    findProblems(schema, value) {
      const validate = ajv.getSchema(`open#/components/schemas/${schema}`)
      if (!validate) throw new Error(`the document has no schema "${schema}"`)
      if (validate(value)) return []
      return (validate.errors ?? []).map((error) => `${schema}${error.instancePath} ${error.message ?? 'is not valid'}`)
    },
  }
}

const document = loadOpenResponses()

/** Whether a value has custom tools, searches, images or full reasoning text, which only OpenAI has or names like this. */
const usesOpenAiExtensions = (value: unknown): boolean =>
  /"(custom(_tool_call)?|image_generation_call|web_search(_call)?)"|"response\.(custom_tool_call|image_generation_call|web_search_call|reasoning_text)/.test(
    JSON.stringify(value),
  )

/** Checks that a non-streaming response conforms to the document. */
export function expectValidResponse(response: unknown): void {
  if (document && !usesOpenAiExtensions(response)) expect(document.findProblems('ResponseResource', response)).toEqual([])
}

/** Parses the events of a stream. Each event's name has to be its type. Returns whether `[DONE]` ended it, too. */
export function readEvents(text: string): { events: ResponseEvent[]; done: boolean } {
  const blocks = text.split('\n\n').filter((block) => block !== '')
  const done = blocks.at(-1) === 'data: [DONE]'
  const events = (done ? blocks.slice(0, -1) : blocks).map((block) => {
    const [name, data, ...more] = block.split('\n')
    expect(more).toEqual([])
    const event = JSON.parse(data?.replace(/^data: /, '') ?? '') as ResponseEvent
    expect(name).toBe(`event: ${event.type}`)
    return event
  })
  return { events, done }
}

const PART_EVENTS: Record<string, { deltas: string; field: string }> = {
  output_text: { deltas: 'response.output_text', field: 'text' },
  refusal: { deltas: 'response.refusal', field: 'refusal' },
  summary_text: { deltas: 'response.reasoning_summary_text', field: 'text' },
  reasoning_text: { deltas: 'response.reasoning_text', field: 'text' },
}

/**
 * Checks the events of a response that ended: each conforms to the document, and they are numbered without gaps, in order and
 * complete. Everything that arrives in pieces adds up to what is sent as a whole. Returns the final response.
 */
export function expectCompleteStream(text: string): Json {
  const { events, done } = readEvents(text)
  expect(done, 'ends with [DONE]').toBe(true)
  expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
  if (document)
    for (const event of events) {
      if (usesOpenAiExtensions(event)) continue
      const schema = document.eventSchemas.get(event.type)
      expect(schema, event.type).toBeDefined()
      expect(document.findProblems(schema ?? '', event)).toEqual([])
    }
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
  const last = events.at(-1) as ResponseEvent
  expect(['response.completed', 'response.incomplete']).toContain(last.type)
  const final = last.response as Json
  expect(last.type).toBe(`response.${final.status}`)
  for (const { type, response } of events.slice(0, 2) as (ResponseEvent & { response: Json })[]) {
    expect(response).toMatchObject({ id: final.id, status: 'in_progress', output: [], usage: null })
    expect(type).toBe(type)
  }
  const output = final.output as Json[]
  expect(new Set(output.map(({ id }) => id)).size).toBe(output.length)
  const middle = events.slice(2, -1)
  for (const [index, item] of output.entries())
    expectItem(
      item,
      middle.filter((event) => event.output_index === index),
    )
  expect(middle.every((event) => (event.output_index as number) < output.length)).toBe(true)
  // Items begin in the order of the output.
  const added = middle.filter(({ type }) => type === 'response.output_item.added').map((event) => event.output_index)
  expect(added).toEqual(output.map((_, index) => index))
  return final
}

/** Checks the events of one item: begun once, sent once, ended once, with nothing before, between or after. */
function expectItem(item: Json, events: ResponseEvent[]): void {
  const names = events.map(({ type }) => type.replace('response.', ''))
  expect(names[0]).toBe('output_item.added')
  expect(names.at(-1)).toBe('output_item.done')
  expect(events.at(-1)?.item).toEqual(item)
  expect((events[0]?.item as Json | undefined)?.id).toBe(item.id)
  const between = events.slice(1, -1)
  for (const event of between) expect(event.item_id).toBe(item.id)
  if (item.type === 'function_call' || item.type === 'custom_tool_call') {
    const [field, kind] =
      item.type === 'function_call' ? ['arguments', 'function_call_arguments'] : ['input', 'custom_tool_call_input']
    expectDeltas(between, `response.${kind}`, field as string, item[field as string] as string)
    return
  }
  if (item.type === 'image_generation_call' || item.type === 'web_search_call') {
    const states = ['in_progress', item.type === 'web_search_call' ? 'searching' : 'generating', 'completed']
    expect(between.map(({ type }) => type)).toEqual(states.map((state) => `response.${item.type}.${state}`))
    return
  }
  let rest = between
  const parts = [...((item.summary ?? []) as Json[]), ...((item.content ?? []) as Json[])]
  for (const part of parts) {
    const partEvents = PART_EVENTS[part.type as string]
    expect(partEvents, String(part.type)).toBeDefined()
    if (!partEvents) return
    const kind = part.type === 'summary_text' ? 'response.reasoning_summary_part' : 'response.content_part'
    const end = rest.findIndex(({ type }) => type === `${kind}.done`)
    expect(rest[0]?.type).toBe(`${kind}.added`)
    expect(rest[end]?.part).toEqual(part)
    expectDeltas(rest.slice(1, end), partEvents.deltas, partEvents.field, part[partEvents.field] as string)
    rest = rest.slice(end + 1)
  }
  expect(rest).toEqual([])
}

/** Checks a run of pieces that is followed by the whole of them. */
function expectDeltas(events: ResponseEvent[], type: string, field: string, full: string): void {
  const deltas = events.slice(0, -1)
  expect(new Set(deltas.map((event) => event.type))).toEqual(new Set(full === '' ? [] : [`${type}.delta`]))
  expect(deltas.map((event) => event.delta).join('')).toBe(full)
  expect(events.at(-1)).toMatchObject({ type: `${type}.done`, [field]: full })
}
