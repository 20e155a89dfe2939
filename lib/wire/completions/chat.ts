import { refuseField } from '../../domain/errors.ts'
import type { ChatBody } from '../chat/schema.ts'
import { choicesOf, type PreparedCompletions, type Prompt } from './prepared.ts'
import type { CompletionsBody } from './schema.ts'

/** The most choices at once: each of them is a call, or a part of one. */
const MAX_CHOICES = 16

// Chat models answer a text. These instructions make them continue it.
const CONTINUE_PROMPT =
  'The user sends the beginning of a text. Continue it where it ends, in its own language, form and tone. Write the ' +
  'continuation and nothing else: do not repeat the beginning, do not answer it as a message, do not comment on it.'
const FILL_PROMPT =
  'The user sends the beginning and the end of a text, in <beginning> and <end>. Write what stands between them and ' +
  'nothing else: do not repeat either, do not write the tags, do not comment on it.'
const fillInput = (before: string, after: string): string => `<beginning>${before}</beginning>\n<end>${after}</end>`

/** The most bytes that asking through a chat adds to a text. */
export const INSTRUCTION_BYTES = Buffer.byteLength(CONTINUE_PROMPT + FILL_PROMPT + fillInput('', ''))

/** Throws the 400 that names what a chat cannot be asked for. */
export function checkSupportedByChat({ body, prompts }: PreparedCompletions): void {
  const n = choicesOf(body)
  if (prompts.length * n > MAX_CHOICES)
    throw refuseField(
      n > 1 ? 'n' : 'prompt',
      `This model continues at most ${MAX_CHOICES} texts at once; this would be ${prompts.length * n}. Ask for fewer.`,
    )
  if (body.best_of != null && body.best_of !== n)
    throw refuseField('best_of', 'This model only chats, and a chat cannot be chosen from several answers. Leave it out.')
  if (body.max_tokens === 0) throw refuseField('max_tokens', 'This model only chats, and writes at least one token.')
  if (body.echo === true && body.logprobs != null)
    throw refuseField('logprobs', 'This model only chats, and gives no log probabilities for a prompt. Leave out "echo" or this.')
  for (const { text, path } of prompts) {
    if (text === null)
      throw refuseField(
        path,
        'This model only chats, and these tokens are not text in the encoding cl100k_base. Send the text itself.',
      )
    if ((body.prompt === null || text.trim() === '') && !body.suffix)
      throw refuseField(path, 'This model only chats, and has nothing to continue here. Send some text.')
  }
}

/** Fields that have another meaning in a chat, or none. */
const COMPLETION_ONLY_FIELDS = new Set([
  'prompt',
  'suffix',
  'echo',
  'best_of',
  'logprobs',
  'top_logprobs',
  'max_tokens',
  'response_format',
  'store',
])

/**
 * The name that a chat's field has in the request that the chat stands for. If there are several prompts, it is not known which
 * one is meant.
 */
export function completionsFieldOf(field: string, { prompts }: PreparedCompletions): string {
  if (/^messages\b/.test(field)) return (prompts.length === 1 && prompts[0]?.path) || 'prompt'
  if (/^max_(completion_)?tokens$/.test(field)) return 'max_tokens'
  return field === 'top_logprobs' ? 'logprobs' : field
}

/** The chat that continues a text. Fields that neither endpoint knows are passed on. */
export function chatBodyOf(body: CompletionsBody, { text }: Prompt): ChatBody {
  const shared = Object.entries(body).filter(([name]) => !COMPLETION_ONLY_FIELDS.has(name))
  return {
    ...Object.fromEntries(shared),
    model: body.model,
    messages: [
      { role: 'system', content: body.suffix ? FILL_PROMPT : CONTINUE_PROMPT },
      { role: 'user', content: body.suffix ? fillInput(text ?? '', body.suffix) : (text ?? '') },
    ],
    ...(body.logprobs == null ? {} : { logprobs: true, top_logprobs: body.logprobs }),
  }
}
