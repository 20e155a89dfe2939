import type StripeClient from 'stripe'
import type { CardPageRequest, CardSource, StripeCards } from '../../services/billing/card-ports.ts'
import { readCard } from '../../services/billing/stripe-card-changes.ts'
import { ACCOUNT_METADATA_KEY, SAVE_CARD_METADATA_KEY } from '../../services/billing/stripe-metadata.ts'
import { failureIn, fallbackIfMissing, isMissing, type StripeCaller } from './client.ts'
import { createCustomer, withCustomer } from './customer.ts'

async function createPage({ ask }: StripeCaller, request: CardPageRequest, customerId: string): Promise<string> {
  const sharedMetadata = { [ACCOUNT_METADATA_KEY]: request.accountId, [SAVE_CARD_METADATA_KEY]: 'yes' }
  const { url } = await ask(({ checkout }) =>
    checkout.sessions.create({
      mode: 'setup',
      customer: customerId,
      client_reference_id: request.accountId,
      allowed_payment_method_types: ['card'],
      success_url: request.successUrl,
      cancel_url: request.cancelUrl,
      metadata: sharedMetadata,
      setup_intent_data: { metadata: sharedMetadata },
    }),
  )
  if (url === null) throw new Error('the session has no page')
  return url
}

async function retrieveMethod(stripe: StripeClient, from: CardSource): Promise<unknown> {
  const expand = { expand: ['payment_method'] }
  if ('methodId' in from) return stripe.paymentMethods.retrieve(from.methodId)
  if ('intentId' in from) return (await stripe.paymentIntents.retrieve(from.intentId, expand)).payment_method
  return (await stripe.setupIntents.retrieve(from.setupIntentId, expand)).payment_method
}

/** Saved cards, and the customers for whom they are saved. */
export function createCards(
  caller: StripeCaller,
): Pick<StripeCards, 'createCardPage' | 'findCard' | 'detach' | 'deleteCustomer'> {
  const { ask } = caller
  return {
    createCardPage: (request) =>
      withCustomer(
        request,
        (missingCustomerId) => createCustomer(caller, request, missingCustomerId),
        async (customerId) => ({ url: await createPage(caller, request, customerId), customerId }),
      ),
    findCard: (from) =>
      fallbackIfMissing(
        ask(async (stripe) => {
          const method = await retrieveMethod(stripe, from)
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
      await fallbackIfMissing(
        ask(({ customers }) => customers.del(customerId)),
        null,
      )
    },
  }
}
