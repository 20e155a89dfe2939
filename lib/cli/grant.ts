import { randomBytes } from 'node:crypto'
import { moneyInput } from '../contracts/operator-accounts.ts'
import { formatDecimal, parseDecimal } from '../domain/money.ts'
import type { EntryRecord } from '../services/billing/billing-ports.ts'
import { grantCredit } from '../services/billing/grant-credit.ts'
import { createConsoleStore } from '../store/console/console-store.ts'
import { createPrisma } from '../store/prisma.ts'
import { COMMAND_LINE_USER, withDatabase } from './database.ts'
import { findRecentDuplicate, PAGE_ROWS } from './find-recent-duplicate.ts'

const USAGE = 'Usage: npm run grant -- EMAIL AMOUNT REASON     for example: npm run grant -- ada@example.com 25 "Welcome"'

function parseArguments([email = '', amount = '', ...reasonWords]: string[]) {
  const amountNano = parseDecimal(amount)
  if (email === '' || amountNano === null || reasonWords.length === 0) return null
  // As on the account's page: the account holder reads the reason in the ledger.
  const reason = moneyInput.shape.reason.safeParse(reasonWords.join(' '))
  if (!reason.success) throw new Error(`REASON: ${reason.error.issues[0]?.message}`)
  return { email, amountNano, reason: reason.data }
}

await withDatabase({ usage: USAGE, parseArguments }, async ({ input: { email, amountNano, reason }, pool }) => {
  const store = createConsoleStore({ pool, prisma: createPrisma(pool), onDamagedHistory: () => undefined })
  const holder = await store.users.byEmail(email.toLowerCase())
  if (!holder) throw new Error(`Nobody has the email address ${email}.`)
  const input = {
    id: `ent_${randomBytes(13).toString('hex')}`,
    accountId: holder.accountId,
    amountNano,
    reason,
  }
  const now = new Date()
  await grantCredit({ ctx: { purses: store.purses, clock: { now: () => now }, user: COMMAND_LINE_USER }, input })
  const { balanceNano } = await store.purses.sums(holder.accountId)
  process.stdout.write(`${email} was granted ${formatDecimal(amountNano)}. The balance is now ${formatDecimal(balanceNano)}.\n`)
  const duplicateAt = await findRecentDuplicate<EntryRecord>(
    (last) => store.entries.page(holder.accountId, last && { at: last.createdAt, id: last.id }, PAGE_ROWS),
    (entry) => entry.id !== input.id && entry.kind === 'grant' && entry.amountNano === amountNano && entry.reason === reason,
    now,
  )
  if (duplicateAt !== null)
    process.stderr.write(
      `An identical grant was made at ${duplicateAt.toISOString()}. If this one is a repeat, deduct it on the account's page: /operator/accounts/${holder.accountId}\n`,
    )
  return 0
})
