import type { Pool, PoolClient } from 'pg'
import type { NoticeEvent, NoticeOutbox } from '../services/alerts/notices-ports.ts'

// If a process dies with a notice that it claimed, the next one takes it after this time. Sending a mail takes a minute at
// most.
const CLAIM = `
  with due as (
    select id from notice where next_try_at <= $1 order by next_try_at limit 5 for update skip locked
  )
  update notice n set next_try_at = $1::timestamptz + interval '5 minutes' from due where n.id = due.id
  returning n.id, n.account_id, n.kind, n.body, n.created_at`

// A notice that could not be sent for this long is dropped.
const DELETE_EXPIRED = "delete from notice where created_at < $1::timestamptz - interval '7 days'"

interface Row {
  id: string
  account_id: string
  kind: string
  body: Record<string, unknown>
  created_at: Date
}

/** Amounts are stored as decimal strings, because a JSON number cannot hold them. */
const isAmount = (name: string): boolean => name.endsWith('Nano')

function eventOf(row: Row): NoticeEvent {
  const body = Object.entries(row.body).map(([name, value]) => [
    name,
    isAmount(name) && value !== null ? BigInt(String(value)) : value,
  ])
  return { id: row.id, accountId: row.account_id, at: row.created_at, kind: row.kind, ...Object.fromEntries(body) }
}

/** Records, in the caller's transaction, what an account holder has to be told. Once per id. */
export async function putNotice(client: PoolClient, event: NoticeEvent): Promise<void> {
  const { id, accountId, at, kind, ...rest } = event
  const body = JSON.stringify(rest, (_name, value) => (typeof value === 'bigint' ? value.toString() : value))
  await client.query(
    `insert into notice (id, account_id, kind, body, created_at, next_try_at) values ($1, $2, $3, $4, $5, $5)
     on conflict (id) do nothing`,
    [id, accountId, kind, body, at],
  )
}

/** The notices that still have to be sent. */
export const createNoticeOutbox = (pool: Pool): NoticeOutbox => ({
  async claim(at) {
    await pool.query(DELETE_EXPIRED, [at])
    const { rows } = await pool.query<Row>(CLAIM, [at])
    return rows.map(eventOf)
  },
  async markNotified(id) {
    await pool.query('delete from notice where id = $1', [id])
  },
})
