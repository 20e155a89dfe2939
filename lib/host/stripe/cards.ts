import type StripeClient from 'stripe'
import type { CardPageRequest, CardSource, StripeCards } from '../../services/billing/card-ports.ts'
import { readCard } from '../../services/billing/stripe-card-changes.ts'
import { ACCOUNT_MARK, SAVE_MARK } from '../../services/billing/stripe-marks.ts'
import { type Asking, failureIn, isMissing, orMissing } from './client.ts'
import { makeCustomer, withCustomer } from './customer.ts'

async function createPage({ ask }: Asking, request: CardPageRequest, customerId: string): Promise<string> {
  const marks = { [ACCOUNT_MARK]: request.accountId, [SAVE_MARK]: 'yes' }
  const { url } = await ask(({ checkout }) =>
    checkout.sessions.create({
      mode: 'setup',
      customer: customerId,
      client_reference_id: request.accountId,
      allowed_payment_method_types: ['card'],
      success_url: request.successUrl,
      cancel_url: request.cancelUrl,
      metadata: marks,
      setup_intent_data: { metadata: marks },
    }),
  )
  if (url === null) throw new Error('the session has no page')
  return url
}

async function methodOf(stripe: StripeClient, from: CardSource): Promise<unknown> {
  const expand = { expand: ['payment_method'] }
  if ('methodId' in from) return stripe.paymentMethods.retrieve(from.methodId)
  if ('intentId' in from) return (await stripe.paymentIntents.retrieve(from.intentId, expand)).payment_method
  return (await stripe.setupIntents.retrieve(from.setupIntentId, expand)).payment_method
}

/** Saved cards, and the customers for whom they are saved. */
export function createCards(asking: Asking): Pick<StripeCards, 'createCardPage' | 'cardOf' | 'detach' | 'deleteCustomer'> {
  const { ask } = asking
  return {
    createCardPage: (request) =>
      withCustomer(
        request,
        (gone) => makeCustomer(asking, request, gone),
        async (customerId) => ({ url: await createPage(asking, request, customerId), customerId }),
      ),
    cardOf: (from) =>
      orMissing(
        ask(async (stripe) => {
          const method = await methodOf(stripe, from)
          return typeof method === 'object' && method !== null ? readCard(method) : null
        }),
        null,
      ),
    detach: (methodId) =>
      ask(async ({ paymentMethods }) => {
        try {
          await paymentMethods.detach(methodId)
        } catch (error) {
          const { type, statusCode } = failureIn(error)
          // The card is gone, or not attached to anybody.
          if (!isMissing(error) && !(type === 'StripeInvalidRequestError' && statusCode === 400)) throw error
        }
      }),
    async deleteCustomer(customerId) {
      await orMissing(
        ask(({ customers }) => customers.del(customerId)),
        null,
      )
    },
  }
}
