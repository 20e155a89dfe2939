import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider'
import { type DataUrl, readDataUrl } from '../../domain/data-url.ts'
import { refuseField } from '../../domain/errors.ts'
import type { LanguageCapabilities } from '../../domain/language.ts'
import { mediaTypeOf, SIGNATURE_BYTES } from '../../domain/media-type.ts'
import { assistantParts } from './assistant.ts'
import {
  type CacheMarked,
  cacheMarkAtEnd,
  cacheMarkOf,
  isBlank,
  markEnd,
  type PromptNotes,
  sanitizeCallId,
} from './prompt-helpers.ts'
import type { ChatBody } from './schema.ts'

type Message = ChatBody['messages'][number]
type User = Extract<Message, { role: 'user' }>
type UserPart = Exclude<User['content'], string>[number]
type Texts = string | { text: string; cache_control?: unknown }[]

/**
 * Chat messages in the AI SDK's form. Throws the 400 that names the invalid message or part. System and developer messages go
 * first, wherever they are, because not every vendor accepts them in between. If there is nothing else, the last of them becomes
 * what the user says, because no vendor answers instructions alone. If one was moved, that is reported as ignored.
 */
export function chatPrompt(
  messages: ChatBody['messages'],
  skills: LanguageCapabilities,
  notes: PromptNotes,
): LanguageModelV4Prompt {
  const system: LanguageModelV4Message[] = []
  const prompt: LanguageModelV4Message[] = []
  const names = new Map<string, string>()
  messages.forEach((message, index) => {
    const path = `messages[${index}]`
    if ('name' in message && message.name != null && message.role !== 'function') notes.ignored.add('messages.name')
    if (message.role === 'system' || message.role === 'developer') {
      const systemParts = systemMessages(message.content, skills, notes)
      markEnd(systemParts, message.cache_control, skills, notes)
      if (systemParts.length > 0 && prompt.length > 0) notes.ignored.add('messages.role')
      // One by one, here and elsewhere: a client can send more parts than a call can take as arguments.
      for (const one of systemParts) system.push(one)
    } else if (message.role === 'user') {
      const content = userParts(message.content, path, skills, notes)
      markEnd(content, message.cache_control, skills, notes)
      prompt.push({ role: 'user', content })
    } else if (message.role === 'assistant') {
      const content = assistantParts(message, path, skills, notes)
      markEnd(content, message.cache_control, skills, notes)
      // Vendors refuse a message without content.
      if (content.length > 0) prompt.push({ role: 'assistant', content })
      for (const call of message.tool_calls ?? [])
        names.set(call.id, call.type === 'function' ? call.function.name : call.custom.name)
    } else if (message.role === 'tool') {
      const result = toolResult(message, path, names, skills, notes)
      markEnd([result], message.cache_control, skills, notes)
      addResult(prompt, result)
    } else throw refuseField(`${path}.role`, 'This model accepts tool results only as messages with the role "tool".')
  })
  const last = prompt.length === 0 ? system.pop() : undefined
  if (last?.role === 'system') {
    notes.ignored.add('messages.role')
    const { content: text, providerOptions } = last
    prompt.push({ role: 'user', content: [{ type: 'text', text, ...(providerOptions ? { providerOptions } : {}) }] })
  }
  if (prompt.length === 0) throw refuseField('messages', 'This model needs a message with the role "user".')
  return [...system, ...prompt]
}

/** Consecutive results answer one turn, and some vendors want them in one message. */
function addResult(prompt: LanguageModelV4Message[], result: LanguageModelV4ToolResultPart): void {
  const last = prompt.at(-1)
  if (last?.role === 'tool') last.content.push(result)
  else prompt.push({ role: 'tool', content: [result] })
}

function toolResult(
  message: Extract<Message, { role: 'tool' }>,
  path: string,
  names: ReadonlyMap<string, string>,
  skills: LanguageCapabilities,
  notes: PromptNotes,
): LanguageModelV4ToolResultPart {
  const { tool_call_id: id, content } = message
  const toolName = names.get(id)
  if (toolName === undefined)
    throw refuseField(
      `${path}.tool_call_id`,
      'It does not answer a tool call of an earlier assistant message. Send that message too.',
    )
  return {
    type: 'tool-result',
    toolCallId: sanitizeCallId(id),
    toolName,
    output: { type: 'text', value: joinTexts(content) },
    ...cacheMarkAtEnd(content, skills, notes),
  }
}

const joinTexts = (content: Texts): string => (typeof content === 'string' ? content : content.map((part) => part.text).join(''))

function systemMessages(content: Texts, skills: LanguageCapabilities, notes: PromptNotes): LanguageModelV4Message[] {
  const parts: Exclude<Texts, string> = typeof content === 'string' ? [{ text: content }] : content
  return parts
    .filter((part) => !isBlank(part.text))
    .map((part) => ({ role: 'system', content: part.text, ...cacheMarkOf(part, skills, notes) }))
}

function userParts(
  content: User['content'],
  path: string,
  skills: LanguageCapabilities,
  notes: PromptNotes,
): (LanguageModelV4TextPart | LanguageModelV4FilePart)[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  const parts = content.map((part, index) => ({
    ...userPart(part, `${path}.content[${index}]`, skills, notes),
    ...cacheMarkOf(part as CacheMarked, skills, notes),
  }))
  const nonBlankParts = parts.filter((part) => part.type !== 'text' || !isBlank(part.text))
  // If there is nothing else, the vendor decides what to do with it.
  return nonBlankParts.length > 0 ? nonBlankParts : parts
}

function userPart(
  part: UserPart,
  path: string,
  skills: LanguageCapabilities,
  notes: PromptNotes,
): LanguageModelV4TextPart | LanguageModelV4FilePart {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image_url':
      noteDetail(part.image_url.detail, notes)
      return imagePart(part.image_url.url, path, skills)
    case 'input_audio':
      if (!skills.audio) throw refuseField(path, 'This model accepts no audio, or its audio has no price here.')
      return filePart(`audio/${part.input_audio.format.toLowerCase()}`, part.input_audio.data)
    case 'video_url': {
      const video = readDataUrl(part.video_url.url)
      if (!skills.video || !video?.type.startsWith('video/'))
        throw refuseField(path, `This model accepts ${skills.video ? 'videos as data: URLs only' : 'no videos'}.`)
      return filePart(video.type, video.base64)
    }
    case 'file': {
      const file = readDataUrl(part.file.file_data)
      if (!file || !skills.files.includes(file.type))
        throw refuseField(path, `This model accepts files as data: URLs of the types ${skills.files.join(', ')}.`)
      return { ...filePart(file.type, file.base64), ...(part.file.filename ? { filename: part.file.filename } : {}) }
    }
  }
}

function imagePart(url: string, path: string, skills: LanguageCapabilities): LanguageModelV4FilePart {
  const image = readDataUrl(url)
  if (image) return filePart(imageTypeOf(image), image.base64)
  if (skills.imageUrls && URL.canParse(url) && !url.startsWith('data:'))
    return { type: 'file', mediaType: 'image/*', data: { type: 'url', url: new URL(url) } }
  throw refuseField(path, 'This model accepts images only as base64 data: URLs, such as data:image/png;base64,...')
}

/** The real type of an image, whatever its label says: vendors refuse a wrong label, and `image/jpg` is not a type. */
function imageTypeOf({ type, base64 }: DataUrl): string {
  const head = Buffer.from(base64.slice(0, SIGNATURE_BYTES * 2), 'base64')
  return mediaTypeOf(head, ['image/*']) ?? (type === 'image/jpg' ? 'image/jpeg' : type)
}

const filePart = (mediaType: string, base64: string): LanguageModelV4FilePart => ({
  type: 'file',
  mediaType,
  data: { type: 'data', data: base64 },
})

function noteDetail(detail: string | null | undefined, notes: PromptNotes): void {
  const wanted = detail === 'low' || detail === 'high' ? detail : null
  notes.detail = notes.detail === undefined || notes.detail === wanted ? wanted : null
  if (wanted !== null && notes.detail === null) notes.ignored.add('image_url.detail')
}
