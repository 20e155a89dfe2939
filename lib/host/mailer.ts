import { setTimeout as sleep } from 'node:timers/promises'
import type { Transporter } from 'nodemailer'
import type { Env } from '../env.ts'
import type { Mailer } from '../services/mail/mail-ports.ts'

interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** Pauses before the second and the third attempt. */
const RETRY_DELAYS_MS = [1000, 5000]
/** How long to wait for a server that does not answer. */
const TIMEOUT_MS = 15_000

/** Sends mail through SMTP_URL. Without it, mail is only written to the log, and the page says so. */
export function createMailer(
  { SMTP_URL: url, MAIL_FROM: from }: Pick<Env, 'SMTP_URL' | 'MAIL_FROM'>,
  log: Log,
  retryDelaysMs: readonly number[] = RETRY_DELAYS_MS,
  timeoutMs: number = TIMEOUT_MS,
): Mailer {
  let transport: Promise<Transporter> | null = null
  const open = (): Promise<Transporter> => {
    transport ??= connect(url ?? '', timeoutMs)
    return transport
  }
  return {
    async send(mail) {
      if (url === undefined) {
        log.info({ ...mail }, 'no SMTP_URL is set: this mail was not sent')
        return
      }
      for (let tries = 0; ; tries++) {
        try {
          await (await open()).sendMail({ ...mail, from })
          return
        } catch (error) {
          const delayMs = retryDelaysMs[tries]
          // Log the code only: a mail server's response can quote addresses.
          log.warn({ code: (error as { code?: unknown }).code, subject: mail.subject }, 'a mail was not accepted')
          if (delayMs === undefined) throw error
          await sleep(delayMs)
        }
      }
    },
  }
}

async function connect(url: string, timeoutMs: number): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { searchParams } = new URL(url)
  // A server may check a mail for a while before it accepts it. Whoever gave up then would send the mail again.
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: 4 * timeoutMs }
  const missing = Object.entries(timeouts).filter(([name]) => !searchParams.has(name))
  // The library takes either an address, with options in its query, or options. It ignores those beside an address. An address
  // that URL writes anew would have another host if this one has letters beyond ASCII.
  const query = missing.map(([name, ms]) => `${name}=${ms}`).join('&')
  return createTransport(`${url}${url.includes('?') ? '&' : '?'}${query}`)
}
