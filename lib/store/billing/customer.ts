import type { Pool, PoolClient } from 'pg'

/**
 * Keeps who an account is to Stripe. Who a closed account was is not written down again: Stripe is asked to forget it. Where the
 * account is being closed this waits: it could else write what closing has erased already.
 */
export async function keepCustomer(db: Pool | PoolClient, accountId: string, customerId: string): Promise<void> {
  await db.query(
    `with opened as (
       select id from account where id = $1 and closed_at is null for key share
     ), kept as (
       insert into billing_account (account_id, customer_id) select id, $2 from opened
       on conflict (account_id) do update set customer_id = excluded.customer_id
     )
     insert into left_customer (customer_id, left_at)
     select $2, coalesce(closed_at, now()) from account where id = $1 and not exists (select from opened)
     on conflict do nothing`,
    [accountId, customerId],
  )
}
