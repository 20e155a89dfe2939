import { type Logprobs, logprobsOf } from './logprobs.ts'
import type { Choice, Step } from './plan.ts'
import type { WireUsage } from './usage.ts'

/** An answer that is completely planned and only has to be written. */
export interface Answer {
  id: string
  /** Seconds since 1970. */
  created: number
  model: string
  seed: string
  topLogprobs: number | null
  choices: Choice[]
  usage: WireUsage
}

interface ToolCall {
  id: string
  type: 'function' | 'custom'
  function?: { name: string; arguments: string }
  custom?: { name: string; input: string }
}

const headOf = (answer: Answer, object: string) => ({
  id: answer.id,
  object,
  created: answer.created,
  model: answer.model,
  service_tier: 'default',
  system_fingerprint: 'fp_tollgate_sandbox',
})

/** A call's name and input, in a field that is named like its type. */
const toolCallContent = (kind: ToolCall['type'], name: string | undefined, input: string) =>
  kind === 'function'
    ? { function: { ...(name === undefined ? {} : { name }), arguments: input } }
    : { custom: { ...(name === undefined ? {} : { name }), input } }

function toolCallsOf(steps: readonly Step[]): object[] {
  return steps
    .filter((step) => step.do === 'call')
    .map(({ call, id, kind, name }) => {
      const input = steps.map((step) => (step.do === 'fill' && step.call === call ? step.text : '')).join('')
      return { id, type: kind, ...toolCallContent(kind, name, input) }
    })
}

const contentOf = (steps: readonly Step[]): string => steps.map((step) => (step.do === 'say' ? step.text : '')).join('')

function messageOf(choice: Choice): object {
  const calls = toolCallsOf(choice.steps)
  return {
    role: 'assistant',
    content: choice.calls ? null : contentOf(choice.steps),
    refusal: null,
    annotations: [],
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

/** The answer as one `chat.completion` object. */
export function encodeNonStreaming(answer: Answer): Buffer {
  const { choices, usage, seed, topLogprobs } = answer
  const { service_tier, system_fingerprint, ...head } = headOf(answer, 'chat.completion')
  const written = choices.map((choice) => ({
    index: choice.index,
    message: messageOf(choice),
    logprobs: logprobsOf(choice.steps, 0, topLogprobs, seed),
    finish_reason: choice.finish,
  }))
  return Buffer.from(JSON.stringify({ ...head, choices: written, usage, service_tier, system_fingerprint }))
}

function deltaOf(step: Step): object {
  if (step.do === 'say') return { content: step.text }
  if (step.do === 'fill') return { tool_calls: [{ index: step.call, ...toolCallContent(step.kind, undefined, step.text) }] }
  return { tool_calls: [{ index: step.call, id: step.id, type: step.kind, ...toolCallContent(step.kind, step.name, '') }] }
}

const event = (data: string): Buffer => Buffer.from(`data: ${data}\n\n`)

/** A stream event, and whether a model would first have to generate a token. */
export interface StreamEvent {
  bytes: Buffer
  /** True before the first event of each turn, in which every choice gets one token. */
  waits: boolean
}

/**
 * The answer as a stream of `chat.completion.chunk` events. The choices take turns, with one token each. Then follow a chunk with
 * the usage and no choice, and `[DONE]`.
 */
export function* encodeStream(answer: Answer): Generator<StreamEvent> {
  const head = headOf(answer, 'chat.completion.chunk')
  const chunk = (index: number, delta: object, logprobs: Logprobs | null, finish: string | null): Buffer =>
    event(JSON.stringify({ ...head, choices: [{ index, delta, logprobs, finish_reason: finish }], usage: null }))
  for (const { index, calls } of answer.choices) {
    yield { bytes: chunk(index, { role: 'assistant', content: calls ? null : '', refusal: null }, null, null), waits: false }
  }
  const turns = Math.max(-1, ...answer.choices.map(({ steps }) => steps.length))
  for (let turn = 0; turn <= turns; turn++) {
    let waits = true
    for (const { index, steps, finish } of answer.choices) {
      const step = steps[turn]
      if (step) {
        const logprobs = logprobsOf([step], turn, answer.topLogprobs, answer.seed)
        yield { bytes: chunk(index, deltaOf(step), logprobs, null), waits }
      } else if (turn === steps.length) yield { bytes: chunk(index, {}, null, finish), waits: false }
      else continue
      waits = false
    }
  }
  yield { bytes: event(JSON.stringify({ ...head, choices: [], usage: answer.usage })), waits: false }
  yield { bytes: event('[DONE]'), waits: false }
}

/** How many events are certain to come before any choice is finished. */
export function unfinishedEvents(answer: Answer): number {
  const shortest = Math.min(...answer.choices.map(({ steps }) => steps.length))
  return answer.choices.length * (1 + shortest)
}
