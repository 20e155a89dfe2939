import { type Attachment, type AttachmentKind, type ChatRequest, lastToolResults, lastUserMessage } from './request.ts'
import { pick, roll } from './seed.ts'
import { shorten } from './tokens.ts'

const OPENINGS = [
  'This is the Tollgate sandbox, a simulated model; no vendor was called.',
  'You have reached the Tollgate sandbox, a simulated model; no vendor was called.',
  'Hello from the Tollgate sandbox, a simulated model; no vendor was called.',
  'This answer comes from the Tollgate sandbox, a simulated model; no vendor was called.',
] as const

const CLOSINGS = [
  'Your key and your request work: name another model of the catalog to get a real answer.',
  'The same code works with every model of the catalog; only the model name changes.',
  'These tokens are counted like those of a real model, so look for this call under usage.',
  'Write "reply exactly: ..." into the system prompt to choose what I say.',
] as const

const QUOTE_TOKENS = 24
const MANY_QUOTES_TOKENS = 12
const MAX_QUOTES = 2

const NOUNS: Record<AttachmentKind, [one: string, many: string]> = {
  image: ['image', 'images'],
  audio: ['audio clip', 'audio clips'],
  video: ['video', 'videos'],
  file: ['file', 'files'],
}

const quote = (text: string, tokens: number): string => `"${shorten(text, tokens)}"`
const sizeText = (bytes: number): string => (bytes === 1 ? '1 byte' : `${bytes} bytes`)

function describeKind(kind: AttachmentKind, found: readonly Attachment[]): string {
  const [one, many] = NOUNS[kind]
  const [first] = found
  const sizes = found.map(({ bytes }) => bytes).filter((bytes) => bytes !== null)
  const size = sizes.length === 0 ? '' : sizeText(sizes.reduce((sum, bytes) => sum + bytes, 0))
  const details = found.length === 1 && first ? [shorten(first.label, 16), size] : [size === '' ? '' : `${size} in all`]
  const known = details.filter((detail) => detail !== '')
  return `${found.length} ${found.length === 1 ? one : many}${known.length === 0 ? '' : ` (${known.join(', ')})`}`
}

/** Names what came besides text: `I received 1 image (image/png, 68 bytes).` Returns '' if nothing did. */
export function describeAttachments(attachments: readonly Attachment[]): string {
  const kinds = (Object.keys(NOUNS) as AttachmentKind[])
    .map((kind) => ({ kind, found: attachments.filter((attachment) => attachment.kind === kind) }))
    .filter(({ found }) => found.length > 0)
    .map(({ kind, found }) => describeKind(kind, found))
  return kinds.length === 0 ? '' : `I received ${kinds.join(' and ')}.`
}

/** Quotes the tool results at the end of the conversation, and names their attachments. Empty if it does not end with any. */
function describeToolResults(request: ChatRequest): string[] {
  const { results, attachments } = lastToolResults(request)
  if (results.length === 0) return []
  const calls = new Map(request.messages.flatMap(({ calls }) => calls).map(({ id, name }) => [id, name]))
  const tokens = results.length > 1 ? MANY_QUOTES_TOKENS : QUOTE_TOKENS
  const quoted = results
    .slice(0, MAX_QUOTES)
    .map(({ answers, text }) => `The tool ${calls.get(answers)?.slice(0, 40) ?? 'you ran'} answered: ${quote(text, tokens)}.`)
  if (results.length > MAX_QUOTES) quoted.push(`There are ${results.length - MAX_QUOTES} more results.`)
  return [...quoted, describeAttachments(attachments)]
}

function describeRequest(request: ChatRequest): string[] {
  const results = describeToolResults(request)
  if (results.length > 0) return results
  const user = lastUserMessage(request)
  const userSentence = user && user.text.trim() !== '' ? `You said: ${quote(user.text, QUOTE_TOKENS)}.` : 'You sent no text.'
  return [describeAttachments(user?.attachments ?? []), userSentence]
}

/** A few sentences in the sandbox's own words, for the choice `index` of `choices`. */
export function composeReply(request: ChatRequest, seed: string, index: number, choices: number): string {
  return [
    pick(OPENINGS, roll(seed, 'opening') + index),
    ...describeRequest(request),
    pick(CLOSINGS, roll(seed, 'closing') + index),
    // The phrases repeat after a few choices. The number keeps every choice different.
    choices > 1 ? `This is choice ${index + 1} of ${choices}.` : '',
  ]
    .filter((sentence) => sentence !== '')
    .join(' ')
}

/** What the system prompt dictates with a line `reply exactly: ...`; null if there is none. The last such line wins. */
export function dictatedReply(request: ChatRequest): string | null {
  const prompts = request.messages.filter(({ role }) => role === 'system' || role === 'developer')
  for (const { text } of prompts.reverse()) {
    const found = [...text.matchAll(/^[ \t]*reply exactly:[ \t]*(\S.*)$/gim)].at(-1)
    if (found?.[1] !== undefined) return found[1].trimEnd()
  }
  return null
}
