import type { Locale } from '#lib/contracts/locales'
import { formatForLocale } from '../../messages/format-for-locale.ts'
import { type MessageLike, toMessageDescriptor } from '../../messages/message.ts'
import { greetingOf } from './greeting.ts'
import type { EmailMessage, Recipient } from './mail-ports.ts'

/** Text followed by an empty line: one line, or several. */
export type Paragraph = MessageLike | readonly MessageLike[]

/** Joins paragraphs in the reader's language. */
export const formatParagraphs = (locale: Locale, paragraphs: readonly Paragraph[]): string =>
  paragraphs
    .map((lines) =>
      [lines]
        .flat()
        .map((line) => formatForLocale(toMessageDescriptor(line), locale))
        .join('\n'),
    )
    .join('\n\n')

/** A mail that begins with its reader's name. */
export const composeEmail = (
  { name, email, locale }: Recipient,
  subject: MessageLike,
  ...paragraphs: Paragraph[]
): EmailMessage => ({
  to: email,
  subject: formatForLocale(toMessageDescriptor(subject), locale),
  text: formatParagraphs(locale, [greetingOf(name), ...paragraphs]),
})
