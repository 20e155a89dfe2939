import { z } from 'zod'
import type { StripeEvent } from './billing-ports.ts'
import type { CardChange, SavedCard } from './card-ports.ts'
import { ACCOUNT_MARK } from './stripe-marks.ts'

const id = z.union([z.string(), z.looseObject({ id: z.string() }).transform((object) => object.id)])

const method = z.looseObject({
  id: z.string(),
  type: z.string(),
  customer: id.nullish(),
  card: z
    .looseObject({
      brand: z.string().max(40),
      last4: z.string().max(8),
      exp_month: z.number().int(),
      exp_year: z.number().int(),
    })
    .nullish(),
})
const setup = z.looseObject({
  payment_method: id.nullish(),
  customer: id.nullish(),
  metadata: z.looseObject({ [ACCOUNT_MARK]: z.string().optional() }).nullish(),
})
const named = z.looseObject({ id: z.string() })

type Reader = (event: StripeEvent) => { changes: CardChange[] } | null

/** Reads a Stripe payment method as a card. Returns null if it is not a card or not attached to a customer. */
export function readCard(object: unknown): SavedCard | null {
  const given = method.parse(object)
  if (given.card == null || given.customer == null) return null
  const { brand, last4, exp_month, exp_year } = given.card
  return { methodId: given.id, customerId: given.customer, brand, last4, expMonth: exp_month, expYear: exp_year }
}

const readSetup: Reader = ({ object }) => {
  const { payment_method, customer, metadata } = setup.parse(object)
  const accountId = metadata?.[ACCOUNT_MARK]
  if (accountId === undefined || payment_method == null || customer == null) return null
  return { changes: [{ kind: 'card_saved', accountId, customerId: customer, from: { methodId: payment_method } }] }
}

const readRenewed: Reader = ({ object }) => {
  const card = readCard(object)
  return card && { changes: [{ kind: 'card_renewed', methodId: card.methodId, face: card }] }
}

/** What Stripe events say about cards, by event type. */
export const CARD_READERS: Record<string, Reader> = {
  'setup_intent.succeeded': readSetup,
  'payment_method.detached': ({ object }) => ({ changes: [{ kind: 'card_gone', methodId: named.parse(object).id }] }),
  'payment_method.updated': readRenewed,
  'payment_method.automatically_updated': readRenewed,
  'customer.deleted': ({ object }) => ({ changes: [{ kind: 'customer_gone', customerId: named.parse(object).id }] }),
}
