import type { PoolClient } from 'pg'

/** Rolls back what was booked or written for an account that is closed. The console tells it by its code. */
export class AccountClosed extends Error {
  readonly code = 'account_closed'

  constructor() {
    super('the account is closed')
  }
}

/** To be asked with the purse locked: closing has then either not begun, or is seen. */
export async function isClosed(client: PoolClient, accountId: string): Promise<boolean> {
  const closed = await client.query('select from account where id = $1 and closed_at is not null', [accountId])
  return closed.rowCount !== 0
}

/** Throws AccountClosed; asked as `isClosed`. */
export async function refuseClosed(client: PoolClient, accountId: string): Promise<void> {
  if (await isClosed(client, accountId)) throw new AccountClosed()
}

/**
 * Keeps an account from being closed until the caller's transaction has ended; throws AccountClosed where it is closed. What
 * closing locks before the account (lockAll()) has to be locked before this.
 */
export async function keepOpen(client: PoolClient, accountId: string): Promise<void> {
  const { rows } = await client.query<{ closed: boolean }>(
    'select closed_at is not null as closed from account where id = $1 for key share',
    [accountId],
  )
  if (rows[0]?.closed) throw new AccountClosed()
}

/** The same by one of its people, who is locked: closing locks them before all else. Others who call this wait as well. */
export async function keepUserOpen(client: PoolClient, userId: string): Promise<void> {
  await client.query('select from app_user where id = $1 for no key update', [userId])
  // Asked once they are locked: the statement before sees the account as it was when it began to wait.
  const closed = await client.query(
    'select from app_user u join account a on a.id = u.account_id where u.id = $1 and a.closed_at is not null',
    [userId],
  )
  if (closed.rowCount !== 0) throw new AccountClosed()
}
