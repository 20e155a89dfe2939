import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeAccount } from '#lib/services/account/close-account'
import { redeemCode } from '#lib/services/billing/redeem-code'
import { deductFromAccount, grantToAccount } from '#lib/services/operator/change-credit'
import { mintCodes } from '#lib/services/operator/mint-codes'
import { resumeAccount, suspendAccount } from '#lib/services/operator/suspend-account'
import { withdrawCode } from '#lib/services/operator/withdraw-code'
import type { SignedInUser } from '#lib/services/ports'
import { expectBalancedBooks, openLedger, settlementOf, type TestLedger } from '../support/ledger.ts'
import { Random } from '../support/random.ts'
import { type ConsoleWorld, openConsoleWorld, PASSWORD } from './console-world.ts'

// Everything that moves an account's money, at once: operators, the account holder, and two processes that charge it.
let world: ConsoleWorld
let ledgers: TestLedger[]
let operators: SignedInUser[]
beforeAll(async () => {
  world = await openConsoleWorld()
  ledgers = await Promise.all([openLedger(world.pool, world.url), openLedger(world.pool, world.url)])
  operators = [await world.newUser('operator'), await world.newUser('owner')]
})
afterAll(async () => {
  for (const ledger of ledgers) await ledger.close()
  await world.close()
})

const UNIT = 1_000_000_000n
/** The errors that concurrent changes may cause. Anything else is a fault. */
const EXPECTED_CODES = ['conflict', 'invalid_input', 'rate_limit_exceeded']
const seed = process.env.FUZZ_SEED ?? randomUUID()
const random = new Random(seed)

async function charge(accountId: string): Promise<void> {
  const ledger = random.pick(ledgers)
  const amount = BigInt(random.integer(1, 3)) * UNIT
  const hold = await ledger.wallet.hold({ accountId, keyId: 'key_test', budgets: [], amount })
  if ('refused' in hold) return
  const actual = amount / BigInt(random.integer(1, 3))
  const settlement = settlementOf(accountId, hold, actual)
  await Promise.all([ledger.committer.post(settlement), ledger.committer.post(settlement)])
  hold.end(actual)
}

/** Everything that can be done with the money of one account. */
function moneyActions(user: SignedInUser, codes: { id: string; code: string }[]): (() => Promise<unknown>)[] {
  const asOperator = () => ({ ctx: world.as(random.pick(operators)) })
  // Few tokens and amounts, so that they collide: with another amount, by another operator, as a grant and as a deduction.
  const tokens = [randomUUID(), randomUUID(), randomUUID()]
  const money = () => ({
    id: user.accountId,
    token: random.pick(tokens),
    amountNano: String(BigInt(random.integer(1, 2)) * UNIT),
    reason: 'A reason',
  })
  const close = async () => {
    const ctx = world.as(user)
    const { balanceNano } = await world.console.ports.purses.sums(user.accountId)
    const forfeitNano = balanceNano === 0n ? null : String(balanceNano)
    await closeAccount({ ctx, input: { email: user.email, password: PASSWORD, forfeitNano } })
  }
  return [
    () => grantToAccount({ ...asOperator(), input: money() }),
    () => deductFromAccount({ ...asOperator(), input: money() }),
    () => redeemCode({ ctx: world.as(user), input: { code: random.pick(codes).code } }),
    () => withdrawCode({ ...asOperator(), input: { id: random.pick(codes).id } }),
    () => suspendAccount({ ...asOperator(), input: { id: user.accountId, reason: 'A reason' } }),
    () => resumeAccount({ ...asOperator(), input: { id: user.accountId } }),
    () => world.console.ports.operatorAccounts.signOut(random.pick(operators), user.userId, world.clock.at),
    () => charge(user.accountId),
    close,
  ]
}

async function mintTestCodes(): Promise<{ id: string; code: string }[]> {
  const input = { token: randomUUID(), amountNano: String(2n * UNIT), count: 2, note: '' }
  const { codes } = await mintCodes({ ctx: world.as(operators[0] as SignedInUser), input })
  const { rows } = await world.pool.query('select id from redemption_code where mint_token = $1 order by mint_place', [
    input.token,
  ])
  return codes.map((code, at) => ({ code, id: rows[at].id as string }))
}

it(`the books balance whatever meets, and nothing fails for want of an order (FUZZ_SEED=${seed})`, async () => {
  for (let round = 0; round < 8; round++) {
    const user = await world.newUser()
    const codes = await mintTestCodes()
    const all = moneyActions(user, codes)
    await all[0]?.()
    const ended = await Promise.allSettled(Array.from({ length: 24 }, () => random.pick(all)()))
    const faults = ended.flatMap((each) =>
      each.status === 'rejected' && !EXPECTED_CODES.includes((each.reason as { code: string }).code) ? [String(each.reason)] : [],
    )
    expect(faults, `round ${round}`).toEqual([])
    await expectBalancedBooks(world.pool)
    // Each code was credited at most once, and never if it was withdrawn.
    const { rows } = await world.pool.query(
      `select c.id, c.withdrawn_at is not null as withdrawn, count(e.id)::int as credited
         from redemption_code c left join entry e on e.id = 'ent_' || c.id where c.id = any ($1) group by c.id`,
      [codes.map(({ id }) => id)],
    )
    for (const row of rows) expect(row.credited, JSON.stringify(row)).toBeLessThanOrEqual(row.withdrawn ? 0 : 1)
    // The audit log and the books agree about the money.
    const [books] = (
      await world.pool.query(
        `select (select count(*)::int from entry where account_id = $1 and id like 'ent\\_op\\_%') as entries,
                (select count(*)::int from audit_log where target_id = $1 and verb in ('account.grant', 'account.deduct')) as lines`,
        [user.accountId],
      )
    ).rows
    expect(books.lines).toBe(books.entries)
  }
})
