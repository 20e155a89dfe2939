import type { Pool, PoolClient } from 'pg'

/**
 * Stores an account's customer id at Stripe. Does not store it for a closed account, because Stripe is asked to delete that
 * customer. Waits while the account is being closed; it could otherwise write what closing has already erased.
 */
export async function saveCustomer(db: Pool | PoolClient, accountId: string, customerId: string): Promise<void> {
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
