import type { Pool, PoolClient } from 'pg'
import { keyPurses } from '../../domain/key-purses.ts'
import type { KeyChanges, KeySettings, Rotation, RotationOutcome } from '../../services/keys/key-ports.ts'
import type { UsageSpan } from '../../services/usage/usage-ports.ts'
import { startOfMonth, startOfNext } from '../../services/utc.ts'
import type { PrismaClient } from '../generated/client.ts'
import { notifyChange } from '../notify-change.ts'
import { inTransaction } from '../transaction.ts'
import { ALL_TIME, SPAN_ROWS, spanParameters } from '../usage-spans.ts'
import { API_PURPOSE, KEY_INCLUDE, recordOf } from './keys.ts'

interface LockedKey {
  secret_hmac: Buffer
  hint: string
  expires_at: Date | null
  revoked_at: Date | null
}

/** Locks a key that a person created. The console's own keys end by themselves, and nobody changes them. */
async function lockKey(client: PoolClient, accountId: string, keyId: string): Promise<LockedKey | null> {
  const { rows } = await client.query<LockedKey>(
    'select secret_hmac, hint, expires_at, revoked_at from api_key where id = $1 and account_id = $2 and purpose = $3 for update',
    [keyId, accountId, API_PURPOSE],
  )
  return rows[0] ?? null
}

const COLUMNS: Record<keyof KeySettings, string> = {
  name: 'name',
  expiresAt: 'expires_at',
  limitTotalNano: 'limit_total_nano',
  limitMonthNano: 'limit_month_nano',
  modelAllow: 'model_allow',
  addressAllow: 'address_allow',
  rpm: 'rpm',
  tpm: 'tpm',
  historyEnabled: 'history_enabled',
}

async function writeSettings(client: PoolClient, keyId: string, settings: KeySettings): Promise<void> {
  const changes = Object.entries(settings) as [keyof KeySettings, unknown][]
  if (changes.length === 0) return
  const set = changes.map(([name], at) => `${COLUMNS[name]} = $${at + 2}`).join(', ')
  const values = changes.map(([, value]) => (typeof value === 'bigint' ? String(value) : value))
  await client.query(`update api_key set ${set} where id = $1`, [keyId, ...values])
}

// The purse of a limit over a span of time. A new purse gets what was spent so far; an existing one has counted all along.
const PUT_PURSE = `
  insert into purse (id, kind, account_id, key_id, credit, spent)
  select $10::text, 'key', $1, $11::text, $12::bigint, coalesce(sum(charged_nano), 0) from ${SPAN_ROWS} used where key_id = $11
  on conflict (id) do update set credit = excluded.credit`

/** For this long, a request admitted earlier, or a process that has not heard of the change yet, may still use the old limit. */
const MONTH_OVERLAP_MS = 15 * 60_000

/** The months that may need a purse at the moment; two at the turn of a month. Each by its purse's id, with its span. */
function monthsNear(keyId: string, at: Date): Map<string, UsageSpan> {
  const times = [-MONTH_OVERLAP_MS, 0, MONTH_OVERLAP_MS].map((ms) => new Date(at.getTime() + ms))
  return new Map(
    times.map((time) => [keyPurses(keyId, time).month, { from: startOfMonth(time), to: startOfNext(time, 'month') }]),
  )
}

/** Sets the purses of limits to the current limits. */
async function syncLimitPurses(
  client: PoolClient,
  accountId: string,
  keyId: string,
  settings: KeySettings,
  at: Date,
): Promise<void> {
  const { limitTotalNano: total, limitMonthNano: month } = settings
  if (total === undefined && month === undefined) return
  // With the account locked nothing settles meanwhile: every charge is either in the sums or will find the purse. The purse is
  // made here and not by the first request, which may still know the old limit. All purses are locked by id, as the ledger
  // locks them, because a process that is swept may hold leases of several months.
  await client.query('select 1 from purse where id = $1 or (account_id = $1 and key_id = $2) order by id for update', [
    accountId,
    keyId,
  ])
  const putPurse = (id: string, nano: bigint, span: UsageSpan) =>
    client.query(PUT_PURSE, [...spanParameters(accountId, span, 'month', 'key'), id, keyId, String(nano)])
  const totalId = keyPurses(keyId, at).total
  if (month != null) {
    const months = monthsNear(keyId, at)
    for (const [id, span] of months) await putPurse(id, month, span)
    await client.query("update purse set credit = $3 where account_id = $1 and key_id = $2 and kind = 'key' and id <> all ($4)", [
      accountId,
      keyId,
      String(month),
      [totalId, ...months.keys()],
    ])
  }
  if (total != null) await putPurse(totalId, total, ALL_TIME)
  // Calls back what processes have leased of the limits but do not use, so that a lower limit applies at once.
  await client.query(
    `with wanted as (
       update purse set recall_wanted_at = clock_timestamp() where account_id = $2 and key_id = $1 and leased > 0 returning id
     ) select pg_notify('tollgate_recall', id) from wanted`,
    [keyId, accountId],
  )
}

async function rotate(client: PoolClient, accountId: string, keyId: string, rotation: Rotation): Promise<RotationOutcome> {
  const { secretHmac, hint, at, until, maxFormer } = rotation
  const key = await lockKey(client, accountId, keyId)
  if (key === null) return 'not_found'
  if (key.revoked_at !== null || (key.expires_at !== null && key.expires_at <= at)) return 'gone'
  await client.query('update former_secret set expires_at = least(expires_at, $2) where key_id = $1', [keyId, until])
  await client.query('delete from former_secret where key_id = $1 and expires_at <= $2', [keyId, at])
  if (until > at) {
    const { rowCount } = await client.query('select 1 from former_secret where key_id = $1', [keyId])
    if ((rowCount ?? 0) >= maxFormer) return 'too_many'
    await client.query('insert into former_secret (secret_hmac, key_id, hint, expires_at) values ($1, $2, $3, $4)', [
      key.secret_hmac,
      keyId,
      key.hint,
      until,
    ])
  }
  await client.query('update api_key set secret_hmac = $2, hint = $3 where id = $1', [keyId, Buffer.from(secretHmac), hint])
  await notifyChange(client, 'key', keyId)
  return 'rotated'
}

/** Changes to existing keys. */
export function createKeyChanges(pool: Pool, prisma: PrismaClient): KeyChanges {
  return {
    async find(accountId, keyId) {
      const key = await prisma.apiKey.findFirst({ where: { id: keyId, accountId }, include: KEY_INCLUDE })
      return key && recordOf(key)
    },
    update: (accountId, keyId, settings, at) =>
      inTransaction(pool, async (client) => {
        const key = await lockKey(client, accountId, keyId)
        if (key === null) return 'not_found'
        if (key.revoked_at !== null) return 'revoked'
        await writeSettings(client, keyId, settings)
        await syncLimitPurses(client, accountId, keyId, settings, at)
        await notifyChange(client, 'key', keyId)
        return 'updated'
      }),
    rotate: (accountId, keyId, rotation) => inTransaction(pool, (client) => rotate(client, accountId, keyId, rotation)),
    endOverlap: (accountId, keyId) =>
      inTransaction(pool, async (client) => {
        if ((await lockKey(client, accountId, keyId)) === null) return false
        const { rowCount } = await client.query('delete from former_secret where key_id = $1', [keyId])
        if ((rowCount ?? 0) > 0) await notifyChange(client, 'key', keyId)
        return true
      }),
  }
}
