/** The interfaces that sending mail needs. */
import type { Locale } from '#lib/contracts/locales'

/** The recipient of a mail, which is written in their language. */
export interface Recipient {
  name: string
  email: string
  locale: Locale
}

/** A plain-text mail. */
export interface EmailMessage {
  to: string
  subject: string
  text: string
}

export interface Mailer {
  /** Resolves when the mail server has accepted it. Rejects if it has not after several attempts. */
  send(mail: EmailMessage): Promise<void>
}
