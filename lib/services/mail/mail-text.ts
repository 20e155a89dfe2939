import type { Locale } from '#lib/contracts/locales'
import { inLocale } from '../../messages/in-locale.ts'
import { asSaid, type Told } from '../../messages/said.ts'
import { greetingOf } from './greeting.ts'
import type { MailText, Reader } from './mail-ports.ts'

/** Text followed by an empty line: one line, or several. */
export type Paragraph = Told | readonly Told[]

/** Joins paragraphs in the reader's language. */
export const paragraphsIn = (locale: Locale, paragraphs: readonly Paragraph[]): string =>
  paragraphs
    .map((lines) =>
      [lines]
        .flat()
        .map((line) => inLocale(asSaid(line), locale))
        .join('\n'),
    )
    .join('\n\n')

/** A mail that begins with its reader's name. */
export const mailTo = ({ name, email, locale }: Reader, subject: Told, ...paragraphs: Paragraph[]): MailText => ({
  to: email,
  subject: inLocale(asSaid(subject), locale),
  text: paragraphsIn(locale, [greetingOf(name), ...paragraphs]),
})
