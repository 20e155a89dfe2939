import type StripeClient from 'stripe'
import type { CheckoutRequest, Stripe } from '../../services/billing/billing-ports.ts'
import { PAYMENT_METADATA_KEY, SAVE_CARD_METADATA_KEY } from '../../services/billing/stripe-metadata.ts'
import { digestOf, fallbackIfMissing, type StripeCaller } from './client.ts'
import { createCustomer, withCustomer } from './customer.ts'

function sessionParamsOf(request: CheckoutRequest, customerId: string | null): StripeClient.Checkout.SessionCreateParams {
  const { payment, email, title, successUrl, cancelUrl } = request
  const metadata = { [PAYMENT_METADATA_KEY]: payment.id }
  const { saveCard } = payment
  return {
    mode: 'payment',
    client_reference_id: payment.accountId,
    ...(customerId === null ? { customer_email: email } : { customer: customerId }),
    line_items: [
      {
        quantity: 1,
        price_data: { currency: payment.currency, unit_amount: Number(payment.amountMinor), product_data: { name: title } },
      },
    ],
    success_url: successUrl,
    cancel_url: cancelUrl,
    metadata: { ...metadata, ...(saveCard ? { [SAVE_CARD_METADATA_KEY]: 'yes' } : {}) },
    // Charges inherit it, so that a receipt finds its payment before the session's own event arrives.
    payment_intent_data: { metadata, ...(saveCard ? { setup_future_usage: 'off_session' as const } : {}) },
    ...(saveCard ? { allowed_payment_method_types: ['card' as const] } : {}),
    invoice_creation: { enabled: true, invoice_data: { metadata } },
    // The amount paid has to be the amount asked for, in the currency of the balances.
    adaptive_pricing: { enabled: false },
  }
}

/** Creates and finds payment pages. */
export function createCheckouts(caller: StripeCaller): Pick<Stripe, 'createCheckout' | 'findCheckout'> {
  const { ask } = caller
  return {
    createCheckout(request) {
      const { accountId, id, saveCard } = request.payment
      const { email, customerId } = request
      const payer = { accountId, email, customerId }
      // A card is saved for a customer. A payment alone creates its own customer.
      const createCustomerId = async (missingCustomerId: string | null) =>
        saveCard ? createCustomer(caller, payer, missingCustomerId) : null
      return withCustomer(payer, createCustomerId, (customer) =>
        ask(async ({ checkout }) => {
          const params = sessionParamsOf(request, customer)
          // Stripe refuses a key that is used again with other parameters, such as one that was made for another customer.
          const idempotencyKey = `${id}-${digestOf(JSON.stringify(params))}`
          const session = await checkout.sessions.create(params, { idempotencyKey })
          if (session.url === null) throw new Error('the session has no page')
          return { sessionId: session.id, url: session.url, customerId: customer }
        }),
      )
    },
    findCheckout: (sessionId) =>
      fallbackIfMissing(
        ask(async ({ checkout }) => (await checkout.sessions.retrieve(sessionId)).url),
        null,
      ),
  }
}
