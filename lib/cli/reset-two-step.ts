import { createBackground } from '../console/background.ts'
import { publicUrl } from '../env.ts'
import { createMailer } from '../host/mailer.ts'
import { resetSecondStep } from '../services/operator/change-person.ts'
import { createConsoleStore } from '../store/console/console-store.ts'
import { createPrisma } from '../store/prisma.ts'
import { COMMAND_LINE_USER, withDatabase } from './database.ts'

const USAGE = 'Usage: npm run reset-two-step -- EMAIL     for a person who has lost their device and their recovery codes'

const parseArguments = ([email = '', ...more]: string[]): string | null =>
  /^[^-].*@/.test(email) && more.length === 0 ? email : null

const warn = (text: string) => () => void process.stderr.write(`${text}\n`)

await withDatabase({ usage: USAGE, parseArguments }, async ({ input: email, pool, env }) => {
  const store = createConsoleStore({ pool, prisma: createPrisma(pool), onDamagedHistory: () => undefined })
  const person = await store.users.byEmail(email.toLowerCase())
  if (!person) throw new Error(`Nobody has the email address ${email}.`)
  const background = createBackground({ error: warn('The email about it could not be sent.'), warn: () => undefined })
  await resetSecondStep({
    ctx: {
      user: COMMAND_LINE_USER,
      operatorAccounts: store.operatorAccounts,
      clock: { now: () => new Date() },
      mailer: createMailer(env, {
        info: warn('No email was sent about it, because SMTP_URL is not set.'),
        warn: () => undefined,
      }),
      background,
      signInSettings: {
        pageUrl: (path) => `${publicUrl(env)}${path}`,
        mail: env.SMTP_URL !== undefined,
        providers: [],
      },
    },
    input: { id: person.userId },
  })
  process.stdout.write(`Two-step verification of ${email} is off, and their sessions were ended.\n`)
  await background.idle()
  return 0
})
