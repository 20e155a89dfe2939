import type { PoolClient } from 'pg'

/** Rolls back what was booked or written for a closed account. The console recognizes it by its code. */
export class AccountClosedError extends Error {
  readonly code = 'account_closed'

  constructor() {
    super('the account is closed')
  }
}

/** Whether an account is closed. Call it with the purse locked: then closing has either not begun or is visible. */
export async function isClosed(client: PoolClient, accountId: string): Promise<boolean> {
  const closed = await client.query('select from account where id = $1 and closed_at is not null', [accountId])
  return closed.rowCount !== 0
}

/** Throws AccountClosedError if the account is closed. Call it under the same lock as `isClosed`. */
export async function assertAccountOpen(client: PoolClient, accountId: string): Promise<void> {
  if (await isClosed(client, accountId)) throw new AccountClosedError()
}

/**
 * Keeps an account from being closed until the caller's transaction has ended. Throws AccountClosedError if it is closed. Anything
 * that closing locks before the account (lockAll()) has to be locked before calling this.
 */
export async function lockOpenAccount(client: PoolClient, accountId: string): Promise<void> {
  const { rows } = await client.query<{ closed: boolean }>(
    'select closed_at is not null as closed from account where id = $1 for key share',
    [accountId],
  )
  if (rows[0]?.closed) throw new AccountClosedError()
}

/** The same for the account of a user, who is locked: closing locks users first. Other callers of this wait too. */
export async function lockOpenUser(client: PoolClient, userId: string): Promise<void> {
  await client.query('select from app_user where id = $1 for no key update', [userId])
  // Checked once the user is locked: the previous statement sees the account as it was when it began to wait.
  const closed = await client.query(
    'select from app_user u join account a on a.id = u.account_id where u.id = $1 and a.closed_at is not null',
    [userId],
  )
  if (closed.rowCount !== 0) throw new AccountClosedError()
}
