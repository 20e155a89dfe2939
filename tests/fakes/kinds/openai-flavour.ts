import type { ExpectedAnswer, Used, Written } from './row.ts'

/** How a vendor's variant of OpenAI's chats differs: what it adds, omits and puts elsewhere. */
export interface Flavour {
  /** The page that documents it. */
  source: string
  model: string
  /** Fields next to the choices. */
  head?: object
  /** Fields next to each choice's message or delta. */
  choice?: object
  /** Fields of a whole message besides its role and content. */
  message?: object
  /** The field with the reasoning text. Without it, there is none. */
  thoughts?: 'reasoning' | 'reasoning_content'
  usage(used: Required<Used>): object
  /**
   * Where a stream reports usage: in a chunk without choices, next to the last choice, there and in `x_groq`, or in the choice.
   */
  usageAt: 'apart' | 'last' | 'x_groq' | 'choice'
  /** Whether the arguments of a call arrive in pieces. */
  pieces?: boolean
  /** Its own finish reason for an end that is a `stop` here. */
  stop?: string
  /** Chunks that come before all others. */
  opens?: readonly object[]
}

const filled = (used: Used): Required<Used> => ({ cached: 0, cacheWrite: 0, reasoning: 0, ...used })

/** The counts that every vendor has. */
export const counts = ({ prompt, completion }: Used) => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
})

const TEXT = ['The kettle', ' is “warm”', ', 7 °C.'] as const
const THOUGHT = 'Is it warm?'
const CALLS = [
  ['get_weather', '{"city": "Zürich", "days": 2}'],
  ['get_time', '{}'],
] as const

const callOf = ([name, args]: (typeof CALLS)[number], index: number) => ({
  index,
  id: `call_${name}_${index}`,
  type: 'function',
  function: { name, arguments: args },
})

/** The deltas in which calls are streamed: whole, or begun and then continued piece by piece. */
function callDeltas(pieces: boolean): object[] {
  if (!pieces) return CALLS.map((call, index) => ({ tool_calls: [callOf(call, index)] }))
  return CALLS.flatMap(([name, args], index) => {
    const begun = callOf([name, ''] as never, index)
    const rest = [args.slice(0, 9), args.slice(9)].filter((piece) => piece !== '')
    return [begun, ...rest.map((piece) => ({ index, function: { arguments: piece } }))].map((call) => ({ tool_calls: [call] }))
  })
}

/** Answers of one flavor, whole and streamed. */
export function createFlavourAnswers(flavour: Flavour) {
  const { source, model, head = {}, choice = {}, message = {}, stop = 'stop', usageAt } = flavour
  const id = 'chatcmpl-5f0c1b2a'
  const created = 1_790_000_000

  const nonStreaming = (said: object, used: Used, finish: string): Written => ({
    source,
    written: {
      id,
      object: 'chat.completion',
      created,
      model,
      ...head,
      choices: [{ index: 0, message: { role: 'assistant', ...message, ...said }, finish_reason: finish, ...choice }],
      usage: flavour.usage(filled(used)),
    },
  })

  const chunk = (delta: object, finish: string | null = null, inChoice: object = {}) => ({
    id,
    object: 'chat.completion.chunk',
    created,
    model,
    ...head,
    choices: [{ index: 0, delta, finish_reason: finish, ...choice, ...inChoice }],
  })

  const streamed = (deltas: readonly object[], used: Used, finish: string): Written => {
    const usage = flavour.usage(filled(used))
    const inChoice = usageAt === 'choice' ? { usage } : {}
    const lastChunkFields = { last: { usage }, x_groq: { usage, x_groq: { id: 'req_01kh', usage } }, choice: {}, apart: {} }[
      usageAt
    ]
    const apart = usageAt === 'apart' ? [{ ...chunk({}), choices: [], usage }] : []
    const chunks = [{ role: 'assistant', content: '' }, ...deltas].map((delta) => chunk(delta))
    return {
      source,
      written: [...(flavour.opens ?? []), ...chunks, { ...chunk({}, finish, inChoice), ...lastChunkFields }, ...apart],
    }
  }

  const reasoningFields = (used: Used) => ((used.reasoning ?? 0) > 0 && flavour.thoughts ? { [flavour.thoughts]: THOUGHT } : {})
  const textResult = { finish: 'stop', says: new RegExp(`^${TEXT.join('').replace('.', '\\.')}$`) } as const
  const toolCallResult = { finish: 'tool_calls', calls: CALLS } as const
  const reasoningThenText = (used: Used): object[] => [reasoningFields(used), ...TEXT.map((content) => ({ content }))]
  return {
    text: (used: Used): ExpectedAnswer => ({
      bytes: nonStreaming({ content: TEXT.join(''), ...reasoningFields(used) }, used, stop),
      used,
      ...textResult,
    }),
    stream: (used: Used): ExpectedAnswer => ({ bytes: streamed(reasoningThenText(used), used, stop), used, ...textResult }),
    tools: (used: Used): ExpectedAnswer => ({
      bytes: nonStreaming({ content: null, tool_calls: CALLS.map(callOf) }, used, 'tool_calls'),
      used,
      ...toolCallResult,
    }),
    toolStream: (used: Used): ExpectedAnswer => ({
      bytes: streamed(callDeltas(flavour.pieces ?? false), used, 'tool_calls'),
      used,
      ...toolCallResult,
    }),
    /** A stream that sends a word and then an error. */
    broken: (error: object): Written => ({ source, written: [chunk({ role: 'assistant', content: TEXT[0] }), error] }),
  }
}
