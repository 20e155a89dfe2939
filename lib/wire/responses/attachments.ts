import type { InputPart, MessageItem, OutputItem } from './items-schema.ts'

/** What an output has besides text. */
const attachmentsOf = ({ output }: OutputItem): InputPart[] =>
  typeof output === 'string' ? [] : output.filter(({ type }) => type !== 'input_text')

/** The text of an output. It says where its images and files are, because in a chat the message of a tool has only text. */
export function outputText(item: OutputItem): string {
  const { output, call_id: id } = item
  if (typeof output === 'string') return output
  const text = output.map((part) => (part.type === 'input_text' ? part.text : '')).join('')
  if (attachmentsOf(item).length === 0) return text
  return `${text}${text === '' ? '' : '\n'}[What ${id} returned besides text follows in a message of the user.]`
}

/** The images and files that a call returned, as the message of a user, where chats accept them. Null if there are none. */
export function attachmentMessage(item: OutputItem): MessageItem | null {
  const attachments = attachmentsOf(item)
  if (attachments.length === 0) return null
  const text = `[What ${item.call_id} returned besides text:]`
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }, ...attachments] }
}
