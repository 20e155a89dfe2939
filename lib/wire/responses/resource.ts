import { type JsonObject, type JsonValue, objectsIn } from '../json.ts'
import { CLIENT_RUN_CALLS } from './items-schema.ts'
import type { ResponsesBody } from './schema.ts'
import type { ResponsesTool } from './tools-schema.ts'

/** The state of a response. */
export interface ResponseState {
  status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  output: JsonValue[]
  /** Why it is incomplete; null if it is not. */
  reason: string | null
  /** Seconds since 1970; null while it is in progress. */
  completedAt: number | null
  error: { code: string; message: string } | null
}

/** What a response says about itself in every event. */
export interface ResponseHead {
  id: string
  /** Seconds since 1970. */
  createdAt: number
  modelId: string
  /** Whether it will be stored. */
  store: boolean
}

export const INITIAL_STATE: ResponseState = { status: 'in_progress', output: [], reason: null, completedAt: null, error: null }

/** A response as clients see it: the Open Responses document's ResponseResource, in which every field is required. */
export function buildResource(body: ResponsesBody, head: ResponseHead, state: ResponseState): JsonObject {
  return {
    id: head.id,
    object: 'response',
    created_at: head.createdAt,
    completed_at: state.completedAt,
    status: state.status,
    background: false,
    error: state.error,
    incomplete_details: state.reason === null ? null : { reason: state.reason },
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    model: head.modelId,
    output: state.output,
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    previous_response_id: body.previous_response_id ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    prompt_cache_retention: body.prompt_cache_retention ?? null,
    reasoning: { effort: body.reasoning?.effort ?? null, summary: body.reasoning?.summary ?? null },
    safety_identifier: body.safety_identifier ?? null,
    service_tier: 'default',
    store: head.store,
    temperature: body.temperature ?? 1,
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    text: textOf(body),
    tool_choice: (body.tool_choice ?? 'auto') as JsonValue,
    tools: (body.tools ?? []).map(toolOf),
    top_logprobs: body.top_logprobs ?? 0,
    truncation: 'disabled',
    usage: null,
    ...(body.user == null ? {} : { user: body.user }),
    metadata: body.metadata ?? {},
  }
}

function textOf({ text }: ResponsesBody): JsonObject {
  const { format, verbosity } = text ?? {}
  const formatFields: JsonObject =
    format?.type === 'json_schema'
      ? {
          type: 'json_schema',
          name: format.name,
          description: format.description ?? null,
          schema: format.schema as JsonObject,
          strict: format.strict ?? false,
        }
      : { type: format?.type ?? 'text' }
  return { format: formatFields, ...(verbosity == null ? {} : { verbosity }) }
}

/** A tool as OpenAI returns it: with the fields that its request may leave out. */
function toolOf(tool: ResponsesTool): JsonObject {
  if (tool.type === 'custom') return { ...(tool as JsonObject), format: (tool.format ?? { type: 'text' }) as JsonObject }
  if (tool.type !== 'function') return tool as JsonObject
  return {
    ...(tool as JsonObject),
    description: tool.description ?? null,
    parameters: (tool.parameters ?? null) as JsonValue,
    strict: tool.strict ?? null,
  }
}

/** Why an answer ended, in the terms of a response. */
export function statusOfFinish(finishReason: string | null): { status: 'completed' | 'incomplete'; reason: string | null } {
  if (finishReason === 'length') return { status: 'incomplete', reason: 'max_output_tokens' }
  if (finishReason === 'content_filter') return { status: 'incomplete', reason: 'content_filter' }
  return { status: 'completed', reason: null }
}

/** The items of a vendor's response. Anything else is left out. */
export const itemsOf = ({ output }: JsonObject): JsonObject[] => objectsIn(output)

/** Why a response ended, in the terms of usage records. */
export function finishReasonOf(response: JsonObject): string | null {
  const { status, incomplete_details: details } = response
  if (status === 'incomplete')
    return (details as JsonObject | null | undefined)?.reason === 'content_filter' ? 'content_filter' : 'length'
  if (status !== 'completed') return null
  return itemsOf(response).some(({ type }) => CALLS.has(type)) ? 'tool_calls' : 'stop'
}

/** The calls that a client has to answer. */
const CALLS: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', ...CLIENT_RUN_CALLS])
