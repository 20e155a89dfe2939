import { z } from 'zod'
import type { StripeEvent } from './billing-ports.ts'
import type { CardChange, SavedCard } from './card-ports.ts'
import { ACCOUNT_METADATA_KEY } from './stripe-metadata.ts'

/** The id of an object that Stripe sends as its id or whole. */
export const expandableId = z.union([z.string(), z.looseObject({ id: z.string() }).transform((object) => object.id)])

const method = z.looseObject({
  id: z.string(),
  type: z.string(),
  customer: expandableId.nullish(),
  card: z
    .looseObject({
      brand: z.string().max(40),
      last4: z.string().max(8),
      exp_month: z.number().int(),
      exp_year: z.number().int(),
    })
    .nullish(),
})
const setupIntent = z.looseObject({
  payment_method: expandableId.nullish(),
  customer: expandableId.nullish(),
  metadata: z.looseObject({ [ACCOUNT_METADATA_KEY]: z.string().optional() }).nullish(),
})
const objectWithId = z.looseObject({ id: z.string() })

type EventReader = (event: StripeEvent) => { changes: CardChange[] } | null

/** Reads a Stripe payment method as a card. Returns null if it is not a card or not attached to a customer. */
export function readCard(object: unknown): SavedCard | null {
  const parsed = method.parse(object)
  if (parsed.card == null || parsed.customer == null) return null
  const { brand, last4, exp_month, exp_year } = parsed.card
  return { methodId: parsed.id, customerId: parsed.customer, brand, last4, expMonth: exp_month, expYear: exp_year }
}

const readSetup: EventReader = ({ object }) => {
  const { payment_method, customer, metadata } = setupIntent.parse(object)
  const accountId = metadata?.[ACCOUNT_METADATA_KEY]
  if (accountId === undefined || payment_method == null || customer == null) return null
  return { changes: [{ kind: 'card_saved', accountId, customerId: customer, from: { methodId: payment_method } }] }
}

const readRenewed: EventReader = ({ object }) => {
  const card = readCard(object)
  return card && { changes: [{ kind: 'card_renewed', methodId: card.methodId, face: card }] }
}

/** What Stripe events say about cards, by event type. */
export const CARD_READERS: Record<string, EventReader> = {
  'setup_intent.succeeded': readSetup,
  'payment_method.detached': ({ object }) => ({ changes: [{ kind: 'card_gone', methodId: objectWithId.parse(object).id }] }),
  'payment_method.updated': readRenewed,
  'payment_method.automatically_updated': readRenewed,
  'customer.deleted': ({ object }) => ({ changes: [{ kind: 'customer_gone', customerId: objectWithId.parse(object).id }] }),
}
