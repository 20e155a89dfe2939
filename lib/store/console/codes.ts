import type { Pool, PoolClient } from 'pg'
import { formatDecimal } from '../../domain/money.ts'
import type { Codes, NewCode, RedeemOutcome } from '../../services/billing/billing-ports.ts'
import type { CodeFilter, CodeRecord, CodeState } from '../../services/operator/operator-account-ports.ts'
import type { Actor } from '../../services/operator/operator-ports.ts'
import { creditOnce, isCreditOverflow } from '../ledger/book-entry.ts'
import { AccountClosedError, assertAccountOpen } from '../ledger/closed-account-guards.ts'
import { auditId, writeAudit } from '../operator/audit.ts'
import { moneyRefusal } from '../operator/refusals.ts'
import { inTransaction } from '../transaction.ts'
import { isUniqueViolation } from '../unique-violation.ts'

/** Thrown to roll back the redemption of a code that cannot be credited. The code stays valid. */
class NotCreditedError extends Error {}

/** Thrown to roll back the redemption of a code whose minter may not give this account money. */
class MinterError extends Error {
  readonly outcome: 'own_minting' | 'owners'

  constructor(refusal: 'own' | 'owners') {
    super(refusal)
    this.outcome = refusal === 'own' ? 'own_minting' : refusal
  }
}

/** Whoever minted a code gives its value to the account. The log knows who; codes from before it are nobody's. */
async function assertMinterMayGive(client: PoolClient, mintToken: string | null, accountId: string): Promise<void> {
  const { rows } = await client.query<Actor>(
    `select actor_id as "userId", actor as email from audit_log where target = 'codes' and target_id = $1 and verb = 'codes.mint'`,
    [mintToken],
  )
  const refusal = rows[0] ? await moneyRefusal(client, rows[0], accountId) : null
  if (refusal !== null) throw new MinterError(refusal)
}

const ADD = `
  insert into redemption_code (id, code_hmac, hint, amount_nano, note, created_at, expires_at, mint_token, mint_place)
  select * from unnest($1::text[], $2::bytea[], $3::text[], $4::bigint[], $5::text[], $6::timestamptz[], $7::timestamptz[],
                       $8::text[], $9::int[])`

const columnValues = (codes: readonly NewCode[]): unknown[] => [
  codes.map(({ id }) => id),
  codes.map(({ codeHmac }) => Buffer.from(codeHmac)),
  codes.map(({ hint }) => hint),
  codes.map(({ amountNano }) => String(amountNano)),
  codes.map(({ note }) => note),
  codes.map(({ at }) => at),
  codes.map(({ expiresAt }) => expiresAt),
  codes.map(({ mintToken }) => mintToken),
  codes.map(({ mintPlace }) => mintPlace),
]

async function add(pool: Pool, codes: readonly NewCode[], by: Actor): Promise<boolean> {
  const [first] = codes
  if (first === undefined) return true
  try {
    await inTransaction(pool, async (client) => {
      await client.query(ADD, columnValues(codes))
      // Never a code, nor all of their hints: only how many, the value of each, and the purpose.
      const after = { count: codes.length, amount: formatDecimal(first.amountNano), note: first.note }
      const target = { target: 'codes', targetId: first.mintToken }
      await writeAudit(client, { id: auditId(), actor: by, verb: 'codes.mint', ...target, before: null, after })
    })
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
  return true
}

// The same conditions as in the indexes for each state.
const STATES: Record<Exclude<CodeState, 'expired'>, string> = {
  open: 'c.redeemed_at is null and c.withdrawn_at is null and (c.expires_at is null or c.expires_at > $1)',
  redeemed: 'c.redeemed_at is not null',
  withdrawn: 'c.withdrawn_at is not null',
}

interface Row {
  id: string
  hint: string
  amount_nano: string
  note: string
  state: CodeState
  created_at: Date
  redeemed_at: Date | null
  redeemed_by: string | null
  name: string | null
  email: string | null
  has_others: boolean
}

async function page(pool: Pool, { state, after, at }: CodeFilter, rows: number): Promise<CodeRecord[]> {
  const found = await pool.query<Row>(
    `select c.id, c.hint, c.amount_nano, c.note, c.created_at, c.redeemed_at, c.redeemed_by, a.name, u.email,
            case when c.redeemed_at is not null then 'redeemed' when c.withdrawn_at is not null then 'withdrawn'
                 when c.expires_at <= $1 then 'expired' else 'open' end as state,
            c.redeemed_at is null and c.withdrawn_at is null and exists (
              select from redemption_code o where o.mint_token = c.mint_token and o.id <> c.id
                 and o.redeemed_at is null and o.withdrawn_at is null) as has_others
       from redemption_code c left join account a on a.id = c.redeemed_by
       left join lateral (select email from app_user where account_id = a.id order by created_at, id limit 1) u on true
      where ($2::text is null or c.id < $2) and ${state === null ? 'true' : STATES[state]}
      order by c.id desc limit $3`,
    [at, after, rows],
  )
  return found.rows.map((row) => ({
    id: row.id,
    hint: row.hint,
    amountNano: BigInt(row.amount_nano),
    note: row.note,
    state: row.state,
    createdAt: row.created_at,
    redeemedAt: row.redeemed_at,
    redeemedBy: row.redeemed_by === null ? null : { id: row.redeemed_by, name: row.name ?? '', email: row.email ?? '' },
    hasOthers: row.has_others,
  }))
}

/** The row's lock decides between withdrawing a code and redeeming it. */
const withdraw = (pool: Pool, codeId: string, at: Date, by: Actor): Promise<'withdrawn' | 'taken' | 'not_found'> =>
  inTransaction(pool, async (client) => {
    const { rows } = await client.query<{ hint: string; amount_nano: string; good: boolean }>(
      `select hint, amount_nano, redeemed_at is null and withdrawn_at is null as good from redemption_code where id = $1 for update`,
      [codeId],
    )
    const [code] = rows
    if (!code) return 'not_found'
    if (!code.good) return 'taken'
    await client.query('update redemption_code set withdrawn_at = $2 where id = $1', [codeId, at])
    const after = { hint: code.hint, amount: formatDecimal(BigInt(code.amount_nano)) }
    const target = { target: 'codes', targetId: codeId }
    await writeAudit(client, { id: auditId(), actor: by, verb: 'codes.withdraw', ...target, before: null, after })
    return 'withdrawn'
  })

// Locked in order of their ids, so that two callers at once wait for each other without a deadlock.
const WITHDRAW_MINTING = `
  with good as (
    select id from redemption_code where mint_token = $1 and redeemed_at is null and withdrawn_at is null order by id for update
  )
  update redemption_code c set withdrawn_at = $2 from good where c.id = good.id returning c.amount_nano`

/** Each row's lock decides between withdrawing a code and redeeming it. */
const withdrawMinting = (pool: Pool, codeId: string, at: Date, by: Actor): Promise<number | null> =>
  inTransaction(pool, async (client) => {
    const found = await client.query<{ mint_token: string | null }>('select mint_token from redemption_code where id = $1', [
      codeId,
    ])
    const [code] = found.rows
    if (!code) return null
    const { rows } = await client.query<{ amount_nano: string }>(WITHDRAW_MINTING, [code.mint_token, at])
    const [first] = rows
    if (!first) return 0
    const after = { count: rows.length, amount: formatDecimal(BigInt(first.amount_nano)) }
    const target = { target: 'codes', targetId: code.mint_token ?? codeId }
    await writeAudit(client, { id: auditId(), actor: by, verb: 'codes.withdraw', ...target, before: null, after })
    return rows.length
  })

const redeem = (pool: Pool, accountId: string, codeHmac: Uint8Array, at: Date): Promise<RedeemOutcome> =>
  inTransaction(pool, async (client) => {
    // The row's lock decides between two callers that redeem it at once.
    const { rows } = await client.query<{ id: string; amount_nano: string; mint_token: string | null }>(
      `update redemption_code set redeemed_at = $3, redeemed_by = $2
       where code_hmac = $1 and redeemed_at is null and withdrawn_at is null and (expires_at is null or expires_at > $3)
       returning id, amount_nano, mint_token`,
      [codeHmac, accountId, at],
    )
    const code = rows[0]
    if (!code) {
      const own = await client.query('select 1 from redemption_code where code_hmac = $1 and redeemed_by = $2', [
        codeHmac,
        accountId,
      ])
      return { outcome: own.rows.length > 0 ? 'own' : 'invalid' }
    }
    await assertMinterMayGive(client, code.mint_token, accountId)
    const amountNano = BigInt(code.amount_nano)
    const credited = await creditOnce(client, {
      id: `ent_${code.id}`,
      accountId,
      kind: 'code',
      amountNano,
      reason: 'Redemption code',
      actor: 'holder',
      at,
    })
    if (credited.outcome !== 'credited') throw new NotCreditedError(credited.outcome)
    await assertAccountOpen(client, accountId)
    return { outcome: 'redeemed', amountNano, paidOwedNano: credited.paidOwedNano }
  })

/** Redemption codes. */
export function createCodes(pool: Pool): Codes {
  return {
    add: (codes, by) => add(pool, codes, by),
    page: (filter, rows) => page(pool, filter, rows),
    withdraw: (codeId, at, by) => withdraw(pool, codeId, at, by),
    withdrawMinting: (codeId, at, by) => withdrawMinting(pool, codeId, at, by),
    async redeem(accountId, codeHmac, at) {
      try {
        return await redeem(pool, accountId, Buffer.from(codeHmac), at)
      } catch (error) {
        if (error instanceof MinterError) return { outcome: error.outcome }
        if (error instanceof AccountClosedError) return { outcome: 'closed' }
        if (isCreditOverflow(error)) return { outcome: 'too_much' }
        throw error
      }
    },
  }
}
