import type { Pool, PoolClient } from 'pg'

/**
 * Keeps who an account is to Stripe. Who a closed account was is not written down again: Stripe is asked to forget it.
 */
export async function keepCustomer(db: Pool | PoolClient, accountId: string, customerId: string): Promise<void> {
  await db.query(
    `with kept as (
       insert into billing_account (account_id, customer_id) select id, $2 from account where id = $1 and closed_at is null
       on conflict (account_id) do update set customer_id = excluded.customer_id
     )
     insert into left_customer (customer_id, left_at) select $2, closed_at from account where id = $1 and closed_at is not null
     on conflict do nothing`,
    [accountId, customerId],
  )
}
