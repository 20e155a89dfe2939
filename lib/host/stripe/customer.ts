import { ACCOUNT_MARK } from '../../services/billing/stripe-marks.ts'
import { type Asking, digestOf, isMissing } from './client.ts'

/** Whom something at Stripe is made for. `customerId` is null where the account is nobody to Stripe yet. */
export interface Payer {
  accountId: string
  email: string
  customerId: string | null
}

/** A new customer for an account. The same account asked again is the same customer, unless that one is gone or its address changed. */
export const makeCustomer = ({ ask }: Asking, { accountId, email }: Payer, gone: string | null): Promise<string> =>
  ask(async ({ customers }) => {
    const idempotencyKey = `customer-${accountId}-${digestOf(email)}${gone === null ? '' : `-after-${gone}`}`
    return (await customers.create({ email, metadata: { [ACCOUNT_MARK]: accountId } }, { idempotencyKey })).id
  })

/**
 * Makes something for the account's customer, or for the one that `found` answers where there is none yet, or where Stripe
 * has lost it: deleted there since the last payment, say. `found` is told which one is gone.
 */
export async function withCustomer<C extends string | null, T>(
  { customerId }: Payer,
  found: (gone: string | null) => Promise<C>,
  make: (customerId: string | C) => Promise<T>,
): Promise<T> {
  const first = customerId ?? (await found(null))
  try {
    return await make(first)
  } catch (error) {
    if (!isMissing(error, 'customer')) throw error
    return await make(await found(first))
  }
}
