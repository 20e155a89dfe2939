import type { ConsolePorts } from '../ports.ts'
import { asServiceError } from '../service-error.ts'

type Needs = { ctx: Pick<ConsolePorts, 'cards' | 'stripe'> }

/** Has Stripe let go of each. What Stripe does not answer for is tried again later. Answers how many are done. */
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

/** Lets go at Stripe of cards that were replaced or removed here. */
export async function detachCards({ ctx: { cards, stripe } }: Needs): Promise<number> {
  if (!stripe.configured) return 0
  return letGo(await cards.left(), stripe.detach, cards.detached)
}

/** Has Stripe delete the customers of closed accounts, with their names and addresses. */
export async function deleteCustomers({ ctx: { cards, stripe } }: Needs): Promise<number> {
  if (!stripe.configured) return 0
  return letGo(await cards.leftCustomers(), stripe.deleteCustomer, cards.customerDeleted)
}
