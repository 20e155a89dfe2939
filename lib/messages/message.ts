import type { chinese } from './chinese.ts'

/**
 * A sentence that a verb can tell people, in English, with `{names}` where values are put in. It stands where it is told, and
 * is the key of its translation: one without a Chinese sentence does not pass the type checker.
 */
export type Message = keyof typeof chinese

/** The names of the values that a text takes. */
type PlaceholdersIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PlaceholdersIn<Rest>
  : never

/** The messages that take no values. */
export type PlainMessage = { [M in Message]: [PlaceholdersIn<M>] extends [never] ? M : never }[Message]

/** What is put into a text: words of ours are themselves translated. */
export type MessageValue = string | number | bigint | MessageDescriptor

/** A message with its values. */
export interface MessageDescriptor {
  message: Message
  values: Readonly<Record<string, MessageValue>>
}

/** A message with all the values that it takes. */
export const messageWith = <M extends Message>(
  message: M,
  values: Readonly<Record<PlaceholdersIn<M>, MessageValue>>,
): MessageDescriptor => ({ message, values })

/** What is told: a message that takes no values stands by itself. */
export type MessageLike = PlainMessage | MessageDescriptor

/** The same, as a message with its values. */
export const toMessageDescriptor = (described: MessageLike): MessageDescriptor =>
  typeof described === 'string' ? { message: described, values: {} } : described

/** What is said, by the sentences of another language; without them in English. */
export function formatMessage(
  { message, values }: MessageDescriptor,
  translate: (message: Message) => string = (english) => english,
): string {
  return translate(message).replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name]
    return typeof value === 'object' && value !== null ? formatMessage(value, translate) : String(value ?? slot)
  })
}
