import type { ConsolePorts } from '../ports.ts'
import { asServiceError } from '../service-error.ts'

type Needs = { ctx: Pick<ConsolePorts, 'cards' | 'stripe'> }

/** Removes each id at Stripe. What Stripe does not answer for is retried later. Returns how many are done. */
async function deleteEach(
  ids: string[],
  deleteAtStripe: (id: string) => Promise<void>,
  recordDeleted: (id: string) => Promise<void>,
): Promise<number> {
  let count = 0
  for (const id of ids) {
    try {
      await deleteAtStripe(id)
    } catch (error) {
      if (asServiceError(error)?.code === 'unavailable') return count
      throw error
    }
    await recordDeleted(id)
    count++
  }
  return count
}

/** Detaches cards at Stripe that were replaced or removed here. */
export async function detachCards({ ctx: { cards, stripe } }: Needs): Promise<number> {
  if (!stripe.configured) return 0
  return deleteEach(await cards.listToDetach(), stripe.detach, cards.recordDetached)
}

/** Deletes the customers of closed accounts at Stripe, with their names and addresses. */
export async function deleteCustomers({ ctx: { cards, stripe } }: Needs): Promise<number> {
  if (!stripe.configured) return 0
  return deleteEach(await cards.listCustomersToDelete(), stripe.deleteCustomer, cards.recordCustomerDeleted)
}
