import { ACCOUNT_METADATA_KEY } from '../../services/billing/stripe-metadata.ts'
import { digestOf, isMissing, type StripeCaller } from './client.ts'

/** The payer for whom something is created at Stripe. `customerId` is null if the account has no Stripe customer yet. */
export interface Payer {
  accountId: string
  email: string
  customerId: string | null
}

/** Creates an account's customer. Repeated calls return the same one, unless it is gone or the email changed. */
export const createCustomer = (
  { ask }: StripeCaller,
  { accountId, email }: Payer,
  missingCustomerId: string | null,
): Promise<string> =>
  ask(async ({ customers }) => {
    const idempotencyKey = `customer-${accountId}-${digestOf(email)}${missingCustomerId === null ? '' : `-after-${missingCustomerId}`}`
    return (await customers.create({ email, metadata: { [ACCOUNT_METADATA_KEY]: accountId } }, { idempotencyKey })).id
  })

/**
 * Creates something for the account's customer. If there is none yet, or Stripe no longer has it (such as one deleted there since
 * the last payment), uses the customer that `createId` returns. `createId` gets the id of the one that is gone.
 */
export async function withCustomer<C extends string | null, T>(
  { customerId }: Payer,
  createId: (missingCustomerId: string | null) => Promise<C>,
  run: (customerId: string | C) => Promise<T>,
): Promise<T> {
  const first = customerId ?? (await createId(null))
  try {
    return await run(first)
  } catch (error) {
    if (!isMissing(error, 'customer')) throw error
    return await run(await createId(first))
  }
}
