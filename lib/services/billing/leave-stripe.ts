import type { ConsolePorts } from '../ports.ts'
import { asServiceError } from '../service-error.ts'

type Needs = { ctx: Pick<ConsolePorts, 'cards' | 'stripe'> }

/** Removes each id at Stripe. What Stripe does not answer for is retried later. Returns how many are done. */
async function letGo(ids: string[], ask: (id: string) => Promise<void>, done: (id: string) => Promise<void>): Promise<number> {
  let count = 0
  for (const id of ids) {
    try {
      await ask(id)
    } catch (error) {
      if (asServiceError(error)?.code === 'unavailable') return count
      throw error
    }
    await done(id)
    count++
  }
  return count
}

/** Detaches cards at Stripe that were replaced or removed here. */
export async function detachCards({ ctx: { cards, stripe } }: Needs): Promise<number> {
  if (!stripe.configured) return 0
  return letGo(await cards.left(), stripe.detach, cards.detached)
}

/** Deletes the customers of closed accounts at Stripe, with their names and addresses. */
export async function deleteCustomers({ ctx: { cards, stripe } }: Needs): Promise<number> {
  if (!stripe.configured) return 0
  return letGo(await cards.leftCustomers(), stripe.deleteCustomer, cards.customerDeleted)
}
