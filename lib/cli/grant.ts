import { randomBytes } from 'node:crypto'
import { formatDecimal, parseDecimal } from '../domain/money.ts'
import { grantCredit } from '../services/billing/grant-credit.ts'
import { createConsoleStore } from '../store/console/console-store.ts'
import { createPrisma } from '../store/prisma.ts'
import { COMMAND_LINE, withDatabase } from './database.ts'

const USAGE = 'Usage: npm run grant -- EMAIL AMOUNT REASON     for example: npm run grant -- ada@example.com 25 "Welcome"'

function read([email = '', amount = '', ...reason]: string[]) {
  const amountNano = parseDecimal(amount)
  return email === '' || amountNano === null || reason.length === 0 ? null : { email, amountNano, reason: reason.join(' ') }
}

await withDatabase({ usage: USAGE, read }, async ({ input: { email, amountNano, reason }, pool }) => {
  const store = createConsoleStore({ pool, prisma: createPrisma(pool), onDamagedHistory: () => undefined })
  const holder = await store.users.byEmail(email.toLowerCase())
  if (!holder) throw new Error(`Nobody has the email address ${email}.`)
  const input = {
    id: `ent_${randomBytes(13).toString('hex')}`,
    accountId: holder.accountId,
    amountNano,
    reason,
  }
  await grantCredit({ ctx: { purses: store.purses, clock: { now: () => new Date() }, user: COMMAND_LINE }, input })
  const { balanceNano } = await store.purses.sums(holder.accountId)
  process.stdout.write(`${email} was given ${formatDecimal(amountNano)} and has a balance of ${formatDecimal(balanceNano)}.\n`)
  return 0
})
