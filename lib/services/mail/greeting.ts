import { said, type Told } from '../../messages/said.ts'

/** What makes a mail program turn a word into a link, or begins a line of its own. */
const MISLEADING = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}/:@／：＠]|[.．。｡]\p{L}{2,}/u

/**
 * The first line of a mail. A name is what somebody typed, perhaps with the address of somebody else: one that could pass for
 * a link or for more lines of our mail is left out.
 */
export const greetingOf = (name: string): Told => (MISLEADING.test(name) ? 'Hello,' : said('Hello {name},', { name }))
