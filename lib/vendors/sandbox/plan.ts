import { composeReply, describeAttachments, dictatedReply } from './reply.ts'
import { type ChatRequest, lastUserMessage } from './request.ts'
import { makeValue } from './schema-value.ts'
import { seededId } from './seed.ts'
import { splitTokens } from './tokens.ts'
import { type PlannedCall, planCalls, promptWords } from './tools.ts'

/**
 * What one output token does: it adds to the text, opens a tool call (its name is one token), or adds to the input of call
 * number `call`. A non-streaming answer and a stream are both made of these steps, so they say the same.
 */
export type Step =
  | { do: 'say'; text: string }
  | { do: 'call'; call: number; id: string; kind: PlannedCall['kind']; name: string }
  | { do: 'fill'; call: number; kind: PlannedCall['kind']; text: string }

/** One choice of an answer. Each step is one output token. */
export interface Choice {
  index: number
  steps: Step[]
  calls: boolean
  finish: 'stop' | 'length' | 'tool_calls'
}

const QUOTE_CHARACTERS = 400

/** Cuts a text before the first stop sequence in it. */
function cutAtStop(text: string, stops: readonly string[]): string {
  const found = stops.map((stop) => text.indexOf(stop)).filter((at) => at >= 0)
  return found.length === 0 ? text : text.slice(0, Math.min(...found))
}

function jsonReply(request: ChatRequest): string {
  const user = lastUserMessage(request)
  const received = describeAttachments(user?.attachments ?? [])
  return JSON.stringify({
    simulated: true,
    message: 'This is the Tollgate sandbox, a simulated model; no vendor was called.',
    you_said: promptWords(request).slice(0, QUOTE_CHARACTERS),
    ...(received === '' ? {} : { received }),
  })
}

/** The text in the format that the request asks for. If no value is found for a schema, it is answered like "json_object". */
function formattedReply(request: ChatRequest, seed: string, index: number, choices: number): string {
  if (request.format.kind === 'text') return composeReply(request, seed, index, choices)
  const value = request.format.kind === 'schema' ? makeValue(request.format.schema, promptWords(request)) : undefined
  return value === undefined ? jsonReply(request) : JSON.stringify(value)
}

function textSteps(text: string, stops: readonly string[], cap: number): Step[] {
  return splitTokens(cutAtStop(text, stops), cap + 1).map((token) => ({ do: 'say', text: token }))
}

function toolCallSteps(calls: readonly PlannedCall[], nonce: string, index: number): Step[] {
  return calls.flatMap(({ kind, name, input }, call): Step[] => [
    { do: 'call', call, id: seededId('call_', nonce, `${index}.${call}`, 24), kind, name },
    ...splitTokens(input).map((text): Step => ({ do: 'fill', call, kind, text })),
  ])
}

/**
 * Plans the choices of an answer. The system prompt's `reply exactly:` takes precedence, then tool calls, then text in the format
 * that was asked for. The content follows from the seed, and the ids of calls from the nonce. A choice has at most `cap` tokens. One that is cut finishes with "length".
 */
export function planChoices(
  request: ChatRequest,
  { seed, nonce }: { seed: string; nonce: string },
  count: number,
  cap: number,
): Choice[] {
  const dictated = dictatedReply(request)
  const calls = dictated === null ? planCalls(request) : []
  return Array.from({ length: count }, (_, index) => {
    const steps =
      calls.length > 0
        ? toolCallSteps(calls, nonce, index)
        : textSteps(dictated ?? formattedReply(request, seed, index, count), request.stop, cap)
    const natural = calls.length > 0 ? 'tool_calls' : 'stop'
    return { index, steps: steps.slice(0, cap), calls: calls.length > 0, finish: steps.length > cap ? 'length' : natural }
  })
}

/** The output tokens of all choices. */
export const countCompletion = (choices: readonly Choice[]): number => choices.reduce((sum, { steps }) => sum + steps.length, 0)
