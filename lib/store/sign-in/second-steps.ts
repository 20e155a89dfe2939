import type { Pool, PoolClient } from 'pg'
import type { SecondSteps } from '../../services/sign-in/sign-in-ports.ts'
import { lockOpenUser } from '../ledger/closed-account-guards.ts'
import type { Keyring } from '../seal.ts'
import { inTransaction } from '../transaction.ts'

interface Row {
  secret_sealed: Buffer
  created_at: Date
  confirmed_at: Date | null
  recovery_left: number
}

const FIND = `
  select secret_sealed, created_at, confirmed_at,
         (select count(*)::int from recovery_code r where r.user_id = s.user_id) as recovery_left
  from second_step s where user_id = $1`

// A second step that is in use stays.
const START = `
  insert into second_step (user_id, secret_sealed, created_at) values ($1, $2, $3)
  on conflict (user_id) do update set secret_sealed = excluded.secret_sealed, created_at = excluded.created_at
  where second_step.confirmed_at is null`

const CONFIRM = `
  update second_step set confirmed_at = $4, last_step = $3
  where user_id = $1 and created_at = $2 and confirmed_at is null`

async function setRecovery(client: PoolClient, userId: string, codeHmacs: Uint8Array[]): Promise<void> {
  await client.query('delete from recovery_code where user_id = $1', [userId])
  await client.query('insert into recovery_code (user_id, code_hmac) select $1, unnest($2::bytea[])', [
    userId,
    codeHmacs.map((hmac) => Buffer.from(hmac)),
  ])
}

/** Turns somebody's second step off and deletes its recovery codes. Returns false if it is not on. */
export async function removeSecondStep(client: PoolClient, userId: string): Promise<boolean> {
  const { rowCount } = await client.query('delete from second_step where user_id = $1 and confirmed_at is not null', [userId])
  if (rowCount === 1) await client.query('delete from recovery_code where user_id = $1', [userId])
  return rowCount === 1
}

/** Users' authenticator apps, with sealed secrets, and recovery codes. */
export function createSecondSteps(pool: Pool, sealing: Keyring): SecondSteps {
  const updateOne = async (sql: string, values: unknown[]): Promise<boolean> => (await pool.query(sql, values)).rowCount === 1
  return {
    async find(userId) {
      const [row] = (await pool.query<Row>(FIND, [userId])).rows
      if (!row) return null
      return {
        secret: sealing.open(row.secret_sealed),
        startedAt: row.created_at,
        confirmedAt: row.confirmed_at,
        recoveryLeft: row.recovery_left,
      }
    },
    start: (userId, secret, at) =>
      inTransaction(pool, async (client) => {
        await lockOpenUser(client, userId)
        return (await client.query(START, [userId, sealing.seal(secret), at])).rowCount === 1
      }),
    confirm: (userId, startedAt, step, codeHmacs, at) =>
      inTransaction(pool, async (client) => {
        await lockOpenUser(client, userId)
        const { rowCount } = await client.query(CONFIRM, [userId, startedAt, step, at])
        if (rowCount === 1) await setRecovery(client, userId, codeHmacs)
        return rowCount === 1
      }),
    spend: (userId, step) =>
      updateOne('update second_step set last_step = $2 where user_id = $1 and last_step < $2 and confirmed_at is not null', [
        userId,
        step,
      ]),
    spendRecovery: (userId, codeHmac) =>
      updateOne('delete from recovery_code where user_id = $1 and code_hmac = $2', [userId, Buffer.from(codeHmac)]),
    replaceRecovery: (userId, codeHmacs) =>
      inTransaction(pool, async (client) => {
        await lockOpenUser(client, userId)
        await setRecovery(client, userId, codeHmacs)
      }),
    remove: (userId) => inTransaction(pool, (client) => removeSecondStep(client, userId)),
  }
}
