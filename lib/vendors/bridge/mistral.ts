import { createHash } from 'node:crypto'
import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import type { LanguageAsk, LanguageCapabilities } from '../../domain/language.ts'
import { type AdaptedAsk, type Dialect, fieldByFeature, type Outgoing } from './dialect.ts'
import { mistralCorrections } from './mistral-answer.ts'

const SKILLS: LanguageCapabilities = {
  vendor: 'mistral',
  // It signs nothing.
  thoughts: { format: 'mistral-v1', signature: 'signature', hidden: null },
  imageUrls: true,
  audio: false,
  video: false,
  files: ['application/pdf'],
  caches: false,
}

/** The form of call ids at Mistral. Others are refused. */
const MISTRAL_ID = /^[a-zA-Z0-9]{9}$/

/** An id in the form that Mistral accepts, because a conversation may have begun at another vendor. */
const toMistralId = (id: string): string => (MISTRAL_ID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 9))

function withMistralIds(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.map((message) => {
    if (message.role !== 'assistant' && message.role !== 'tool') return message
    const content = message.content.map((part) =>
      'toolCallId' in part ? { ...part, toolCallId: toMistralId(part.toolCallId) } : part,
    )
    return { ...message, content } as typeof message
  })
}

const ACKNOWLEDGEMENT: LanguageModelV4Prompt[number] = { role: 'assistant', content: [{ type: 'text', text: 'OK.' }] }

/**
 * The prompt with an answer between what tools returned and what a user says next. Mistral refuses a conversation without it, as
 * when the user interrupts an agent, or an image that a tool returned follows in a message.
 */
const withAnswers = (prompt: LanguageModelV4Prompt): LanguageModelV4Prompt =>
  prompt.flatMap((message, index) =>
    message.role === 'user' && prompt[index - 1]?.role === 'tool' ? [ACKNOWLEDGEMENT, message] : [message],
  )

/**
 * Mistral, through `@ai-sdk/mistral`. It almost speaks OpenAI's wire, but shows thoughts as parts of the content, leaves types
 * and indexes out of calls, and refuses unknown fields.
 */
export const mistral: Dialect = {
  async load() {
    const { createMistral } = await import('@ai-sdk/mistral')
    return ({ baseUrl, secret, headers, fetch }, model) =>
      createMistral({ baseURL: baseUrl, apiKey: secret, headers, fetch })(model)
  },
  skills: () => SKILLS,
  version: '/v1',
  inputOverhead: 512,

  adapt({ options, extras }: LanguageAsk): AdaptedAsk {
    const own = {
      ...(extras.parallelToolCalls === undefined ? {} : { parallelToolCalls: extras.parallelToolCalls }),
      // The other packages enforce every schema. This one enforces none by default.
      ...(extras.strictSchema ? { strictJsonSchema: true } : {}),
    }
    const ignored = [
      ...(extras.user === undefined ? [] : ['user']),
      ...(extras.cache === true ? ['cache_control'] : []),
      ...(extras.imageDetail === undefined ? [] : ['image_url.detail']),
    ]
    const prompt = withAnswers(withMistralIds(options.prompt))
    return { options: { ...options, prompt, providerOptions: { mistral: own } }, ignored }
  },

  // Thoughts are part of the output, and count against the cap.
  fit: () => ({ body: null, ignored: [] }),
  capOf: ({ max_tokens: maxTokens }: Outgoing) => (typeof maxTokens === 'number' ? maxTokens : Number.POSITIVE_INFINITY),
  fieldOf: fieldByFeature({ topK: 'top_k', reasoning: 'reasoning_effort' }),
  correctError: (answer) => answer,
  corrections: mistralCorrections,
}
