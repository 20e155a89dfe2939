import type { chinese } from './chinese.ts'

/**
 * A sentence that a verb can tell people, in English, with `{names}` where values are put in. It stands where it is told, and
 * is the key of its translation: one without a Chinese sentence does not pass the type checker.
 */
export type Message = keyof typeof chinese

/** The names of the values that a text takes. */
type NamesIn<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never

/** The messages that take no values. */
export type PlainMessage = { [M in Message]: [NamesIn<M>] extends [never] ? M : never }[Message]

/** What is put into a text: words of ours are themselves translated. */
export type Value = string | number | bigint | Said

/** A message with its values. */
export interface Said {
  message: Message
  values: Readonly<Record<string, Value>>
}

/** A message with all the values that it takes. */
export const said = <M extends Message>(message: M, values: Readonly<Record<NamesIn<M>, Value>>): Said => ({ message, values })

/** What is told: a message that takes no values stands by itself. */
export type Told = PlainMessage | Said

/** The same, as a message with its values. */
export const asSaid = (told: Told): Said => (typeof told === 'string' ? { message: told, values: {} } : told)

/** What is said, by the sentences of another language; without them in English. */
export function written({ message, values }: Said, translate: (message: Message) => string = (english) => english): string {
  return translate(message).replace(/\{(\w+)\}/g, (slot, name: string) => {
    const value = values[name]
    return typeof value === 'object' && value !== null ? written(value, translate) : String(value ?? slot)
  })
}
