import { randomBytes } from 'node:crypto'
import { formatDecimal, parseDecimal } from '../domain/money.ts'
import { CODE_RANDOM_BYTES, codeHint, formatCode, plainCode } from '../domain/redemption-code.ts'
import { makeId } from '../host/new-ids.ts'
import { codeHash } from '../services/code-hash.ts'
import { secretsOf } from '../setup/secrets.ts'
import { createConsoleStore } from '../store/console-store.ts'
import { createPrisma } from '../store/prisma.ts'
import { withDatabase } from './database.ts'

const USAGE = 'Usage: npm run codes -- mint AMOUNT COUNT [NOTE]     for example: npm run codes -- mint 10 50 "Meetup"'
const MOST_CODES = 10_000
const MOST_NANO = 1_000_000_000_000_000n

await withDatabase(async (pool, env) => {
  const [verb, amount = '', number = '', ...note] = process.argv.slice(2)
  const amountNano = parseDecimal(amount)
  const count = /^\d{1,5}$/.test(number) ? Number(number) : 0
  if (verb !== 'mint' || !amountNano || amountNano > MOST_NANO || count < 1 || count > MOST_CODES) throw new Error(USAGE)
  const { pepper } = await secretsOf(env)
  const store = createConsoleStore({ pool, prisma: createPrisma(pool) })
  const at = new Date()
  const codes = Array.from({ length: count }, () => formatCode(randomBytes(CODE_RANDOM_BYTES)))
  await store.codes.add(
    codes.map((code) => ({
      id: makeId('code', at.getTime()),
      codeHmac: codeHash(pepper, plainCode(code) ?? ''),
      hint: codeHint(code),
      amountNano,
      note: note.join(' '),
      at,
      expiresAt: null,
    })),
  )
  // The only time that they are shown: what is kept is a hash.
  process.stdout.write(`${codes.join('\n')}\n`)
  process.stderr.write(
    `${count} codes worth ${formatDecimal(amountNano)} each. Each can be redeemed once, on the billing page.\n`,
  )
  return 0
})
