import type { PoolClient } from 'pg'

/** Rolls back what was booked for an account that is closed. */
export class AccountClosed extends Error {}

/** To be asked with the purse locked: closing has then either not begun, or is seen. */
export async function isClosed(client: PoolClient, accountId: string): Promise<boolean> {
  const closed = await client.query('select from account where id = $1 and closed_at is not null', [accountId])
  return closed.rowCount !== 0
}

/** Throws AccountClosed; asked as `isClosed`. */
export async function refuseClosed(client: PoolClient, accountId: string): Promise<void> {
  if (await isClosed(client, accountId)) throw new AccountClosed('the account is closed')
}
