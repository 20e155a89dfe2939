/** What writing mails needs from the world. */
import type { Locale } from '#lib/contracts/locales'

/** Whom a mail is for. It is written in their language. */
export interface Reader {
  name: string
  email: string
  locale: Locale
}

/** A mail of plain text. */
export interface MailText {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Resolves when the mail server has taken it; rejects when it has not after some tries. */
  send(mail: MailText): Promise<void>
}
