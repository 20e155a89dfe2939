import type { Pool, PoolClient } from 'pg'
import type { KeyRecord, Keys } from '../services/key-ports.ts'
import { inTransaction } from './console-transaction.ts'
import type { ApiKey, PrismaClient } from './generated/client.ts'
import { noteOfAccount } from './operator-audit.ts'

/** The channel on which every process hears what to forget. */
export const CHANNEL = 'tollgate_change'
const LIST_ROWS = 500
/** Keys that people made for themselves; others are the console's own and end by themselves. */
export const OWN = 'api'

type Row = ApiKey & { group: { name: string }; formerSecrets: { hint: string; expiresAt: Date }[] }

/** What belongs to a key's row. */
export const withKey = {
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

/** Tells every process to forget what it remembers of a key, once the transaction is committed. */
export async function tellOfKey(client: PoolClient, keyId: string): Promise<void> {
  await client.query("insert into change (topic, ref) values ('key', $1)", [keyId])
  await client.query('select pg_notify($1, $2)', [CHANNEL, `key:${keyId}`])
}

/** API keys. A change of one is told to every process in the transaction that makes it. */
export function createKeys(pool: Pool, prisma: PrismaClient): Keys {
  return {
    async create({ secretHmac, ...key }) {
      await prisma.$transaction([
        // A copy: Prisma wants bytes over a plain ArrayBuffer, and a Buffer may share a larger one.
        prisma.apiKey.create({ data: { ...key, secretHmac: Uint8Array.from(secretHmac) } }),
        // In SQL, because its time must be the database's: processes read changes by that clock.
        prisma.$executeRaw`insert into change (topic, ref) values ('key', ${key.id})`,
        prisma.$executeRaw`select pg_notify(${CHANNEL}, ${`key:${key.id}`})`,
      ])
    },
    async list(accountId) {
      const keys = await prisma.apiKey.findMany({
        where: { accountId, purpose: OWN },
        orderBy: [{ revokedAt: { sort: 'desc', nulls: 'first' } }, { createdAt: 'desc' }, { id: 'desc' }],
        take: LIST_ROWS,
        include: withKey,
      })
      return keys.map(recordOf)
    },
    countUnrevoked: (accountId) => prisma.apiKey.count({ where: { accountId, purpose: OWN, revokedAt: null } }),
    revoke: (accountId, keyId, at, by) =>
      inTransaction(pool, async (client) => {
        const found = await client.query<{ was_open: boolean; name: string; hint: string }>(
          `update api_key new set revoked_at = coalesce(new.revoked_at, $3)
           from (select id, revoked_at is null as was_open from api_key where id = $1 and account_id = $2 for update) old
           where new.id = old.id and new.account_id = $2 returning old.was_open, new.name, new.hint`,
          [keyId, accountId, at],
        )
        const [key] = found.rows
        if (key?.was_open) await tellOfKey(client, keyId)
        if (key?.was_open && by) {
          const after = { key: key.name, key_id: keyId, hint: key.hint }
          await noteOfAccount(client, by, accountId, { verb: 'key.revoke', before: null, after })
        }
        return key !== undefined
      }),
  }
}
