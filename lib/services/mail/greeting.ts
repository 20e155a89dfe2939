import { type MessageLike, messageWith } from '../../messages/message.ts'

/** Characters that make a mail program turn a word into a link, or that start a new line. */
const UNSAFE_NAME = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/:@／：＠]|[.．。｡]\p{L}{2,}/u

/**
 * The first line of a mail. A name is user input, and the address may be somebody else's. A name that could pass for a link or
 * for more lines of our mail is left out.
 */
export const greetingOf = (name: string): MessageLike =>
  UNSAFE_NAME.test(name) ? 'Hello,' : messageWith('Hello {name},', { name })
