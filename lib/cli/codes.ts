import { randomBytes, randomUUID } from 'node:crypto'
import { parseInteger } from '../contracts/common.ts'
import { mintInput } from '../contracts/operator-accounts.ts'
import { formatDecimal, parseDecimal } from '../domain/money.ts'
import { makeId } from '../host/make-id.ts'
import { createCodeHashes } from '../services/billing/code-hash.ts'
import { mintCodes } from '../services/operator/mint-codes.ts'
import type { CodeRecord } from '../services/operator/operator-account-ports.ts'
import { createConsoleStore } from '../store/console/console-store.ts'
import { createPrisma } from '../store/prisma.ts'
import { COMMAND_LINE_USER, openSecrets, withDatabase } from './database.ts'
import { findRecentDuplicate, PAGE_ROWS } from './find-recent-duplicate.ts'

const USAGE = 'Usage: npm run codes -- mint AMOUNT COUNT [NOTE]     for example: npm run codes -- mint 10 50 "Meetup"'

function parseArguments([verb, amount = '', number = '', ...note]: string[]) {
  const amountNano = String(parseDecimal(amount) ?? '')
  const input = mintInput.safeParse({ token: randomUUID(), amountNano, count: parseInteger(number), note: note.join(' ') })
  return verb === 'mint' && input.success ? input.data : null
}

await withDatabase({ usage: USAGE, parseArguments }, async ({ input, pool, env }) => {
  const { pepper } = await openSecrets(pool, env)
  const { codes: codeStore } = createConsoleStore({ pool, prisma: createPrisma(pool) })
  const now = new Date()
  const duplicateAt = await findRecentDuplicate<CodeRecord>(
    (last) => codeStore.page({ state: null, after: last?.id ?? null, at: now }, PAGE_ROWS),
    ({ amountNano, note }) => amountNano === BigInt(input.amountNano) && note === input.note,
    now,
  )
  const ctx = {
    user: COMMAND_LINE_USER,
    codes: codeStore,
    codeHashes: createCodeHashes(pepper, randomBytes),
    clock: { now: () => new Date() },
    ids: { create: (prefix: string) => makeId(prefix, Date.now()) },
  }
  const { codes } = await mintCodes({ ctx, input })
  // The codes are shown only now: the database stores only their hashes.
  process.stdout.write(`${codes.join('\n')}\n`)
  process.stderr.write(
    `${codes.length === 1 ? '1 code' : `${codes.length} codes`} worth ${formatDecimal(BigInt(input.amountNano))} each. Each can be redeemed once, on the billing page.\n`,
  )
  if (duplicateAt !== null)
    process.stderr.write(
      `Codes of the same amount and note were created at ${duplicateAt.toISOString()}. If these are a repeat, withdraw them: /operator/codes\n`,
    )
  return 0
})
