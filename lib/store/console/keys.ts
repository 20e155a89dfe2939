import type { Pool } from 'pg'
import type { KeyCursor } from '#lib/contracts/keys'
import type { KeyFilter, KeyRecord, Keys, NewKey } from '../../services/keys/key-ports.ts'
import { escapeLike } from '../escape-like.ts'
import type { ApiKey, Prisma, PrismaClient } from '../generated/client.ts'
import { assertAccountOpen } from '../ledger/closed-account-guards.ts'
import { notifyChange } from '../notify-change.ts'
import { writeAccountAudit } from '../operator/audit.ts'
import { inTransaction } from '../transaction.ts'

const LIST_ROWS = 500
/** Keys that people created for themselves. Others are the console's own and end by themselves. */
export const API_PURPOSE = 'api'

type Row = ApiKey & { group: { name: string }; formerSecrets: { hint: string; expiresAt: Date }[] }

/** What belongs to a key's row. */
export const KEY_INCLUDE = {
  group: { select: { name: true } },
  formerSecrets: { select: { hint: true, expiresAt: true } },
} as const

export const recordOf = (key: Row): KeyRecord => ({
  id: key.id,
  name: key.name,
  hint: key.hint,
  groupId: key.groupId,
  groupName: key.group.name,
  createdAt: key.createdAt,
  lastUsedAt: key.lastUsedAt,
  expiresAt: key.expiresAt,
  revokedAt: key.revokedAt,
  limitTotalNano: key.limitTotalNano,
  limitMonthNano: key.limitMonthNano,
  modelAllow: key.modelAllow,
  addressAllow: key.addressAllow,
  rpm: key.rpm,
  tpm: key.tpm,
  historyEnabled: key.historyEnabled,
  former: key.formerSecrets,
})

const INSERT = `
  insert into api_key (id, account_id, group_id, name, secret_hmac, hint, created_at, expires_at, limit_total_nano,
    limit_month_nano, model_allow, address_allow, rpm, tpm, history_enabled, purpose)
  select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16
  where (select count(*) from api_key where account_id = $2 and purpose = $16 and revoked_at is null) < $17`

const valuesOf = (key: NewKey): unknown[] => [
  key.id,
  key.accountId,
  key.groupId,
  key.name,
  Buffer.from(key.secretHmac),
  key.hint,
  key.createdAt,
  key.expiresAt,
  key.limitTotalNano?.toString(),
  key.limitMonthNano?.toString(),
  key.modelAllow,
  key.addressAllow,
  key.rpm,
  key.tpm,
  key.historyEnabled,
]

type Where = Prisma.ApiKeyWhereInput

const searchCondition = (search: string, at: Date): Where => {
  const text = escapeLike(search)
  const hint = { endsWith: text, mode: 'insensitive' } as const
  const former = { formerSecrets: { some: { hint, expiresAt: { gt: at } } } }
  return { OR: [{ name: { contains: text, mode: 'insensitive' } }, { hint }, former, { id: search }] }
}

// Revoked takes precedence over expired, as in keyState().
const STATES: Record<NonNullable<KeyFilter['state']>, (at: Date) => Where> = {
  active: (at) => ({ revokedAt: null, OR: [{ expiresAt: null }, { expiresAt: { gt: at } }] }),
  expired: (at) => ({ revokedAt: null, expiresAt: { lte: at } }),
  revoked: () => ({ revokedAt: { not: null } }),
}

/** Everything after a key: keys in use come before revoked keys, each part newest first. */
function afterCursor({ revokedAt, createdAt, id }: KeyCursor): Where {
  const older = { OR: [{ createdAt: { lt: createdAt } }, { createdAt, id: { lt: id } }] }
  return { OR: [{ revokedAt, ...older }, { revokedAt: revokedAt === null ? { not: null } : { lt: revokedAt } }] }
}

const filterConditions = ({ search, state, groupId, after, at }: KeyFilter): Where[] => [
  ...(search === null ? [] : [searchCondition(search, at)]),
  ...(state === null ? [] : [STATES[state](at)]),
  ...(groupId === null ? [] : [{ groupId }]),
  ...(after === null ? [] : [afterCursor(after)]),
]

/** API keys. Every process is told of a change in the transaction that makes it. */
export function createKeys(pool: Pool, prisma: PrismaClient): Keys {
  return {
    create: (key, maxKeys) =>
      inTransaction(pool, async (client) => {
        // Of two that are created at once, each counts the other.
        await client.query('select from account where id = $1 for no key update', [key.accountId])
        await assertAccountOpen(client, key.accountId)
        const { rowCount } = await client.query(INSERT, [...valuesOf(key), API_PURPOSE, maxKeys])
        if (rowCount !== 1) return false
        await notifyChange(client, 'key', key.id)
        return true
      }),
    async list(accountId, filter, rows = LIST_ROWS) {
      const keys = await prisma.apiKey.findMany({
        where: { accountId, purpose: API_PURPOSE, ...(filter ? { AND: filterConditions(filter) } : {}) },
        orderBy: [{ revokedAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }, { id: 'desc' }],
        take: rows,
        include: KEY_INCLUDE,
      })
      return keys.map(recordOf)
    },
    revoke: (accountId, keyId, at, by) =>
      inTransaction(pool, async (client) => {
        const found = await client.query<{ was_open: boolean; name: string; hint: string }>(
          `update api_key new set revoked_at = coalesce(new.revoked_at, $3)
           from (select id, revoked_at is null as was_open from api_key where id = $1 and account_id = $2 for update) old
           where new.id = old.id and new.account_id = $2 returning old.was_open, new.name, new.hint`,
          [keyId, accountId, at],
        )
        const [key] = found.rows
        if (key?.was_open) await notifyChange(client, 'key', keyId)
        if (key?.was_open && by) {
          const after = { key: key.name, key_id: keyId, hint: key.hint }
          await writeAccountAudit(client, by, accountId, { verb: 'key.revoke', before: null, after })
        }
        return key !== undefined
      }),
  }
}
