import { z } from 'zod'
import { amount } from './billing.ts'
import { nano, time } from './common.ts'

const failure = z.enum(['declined', 'funds', 'expired', 'authentication', 'card_gone', 'refused', 'unanswered'])

/** What people recognize a card by. `brand` is Stripe's word, such as `visa`. */
const card = z.object({ brand: z.string(), last4: z.string(), expMonth: z.number().int(), expYear: z.number().int() })
export type CardView = z.infer<typeof card>

/**
 * The state of automatic top-up. `under_way`: a payment was made whose money has not arrived yet. `waiting`: one failed and
 * is retried at `retryAt`. `ceiling`: the next payment would exceed this month's ceiling. `paused`: the account is suspended
 * or in debt.
 */
const state = z.enum(['off', 'on', 'under_way', 'waiting', 'ceiling', 'paused'])

/** GET /api/billing/auto-top-up */
export const autoTopUp = z.object({
  /** False while no Stripe keys are set: then nothing here works. */
  payable: z.boolean(),
  card: card.nullable(),
  /** What the account holder has set, whatever the state is. */
  enabled: z.boolean(),
  state,
  /** The last settings; null if they were never set. */
  settings: z.object({ thresholdNano: nano, amountNano: nano, ceilingNano: nano }).nullable(),
  /** Why the gateway switched it off. */
  offReason: z.enum([...failure.options, 'card_removed', 'refunded', 'disputed']).nullable(),
  retryAt: time.nullable(),
  /** The last automatic payment that failed, as long as none has followed it. */
  lastFailure: z.object({ amountNano: nano, reason: failure, at: time }).nullable(),
  /** Paid automatically since the beginning of this UTC month, payments in progress included. */
  paidMonthNano: nano,
  /** When the next UTC month begins. */
  monthEnds: time,
  /** The balance that running requests do not hold: the threshold is compared with this. */
  freeNano: nano,
})
export type AutoTopUpView = z.infer<typeof autoTopUp>

/** POST /api/billing/auto-top-up: `consent` is the account holder's consent to be charged while absent. */
export const autoTopUpInput = z.discriminatedUnion('enabled', [
  z.strictObject({
    enabled: z.literal(true),
    thresholdNano: amount,
    amountNano: amount,
    ceilingNano: amount,
    consent: z.literal(true, { error: 'Agree to automatic payments first.' }),
  }),
  z.strictObject({ enabled: z.literal(false) }),
])
export type AutoTopUpInput = z.infer<typeof autoTopUpInput>

/** POST /api/billing/card: the address where a card can be saved. */
export const cardPage = z.object({ url: z.url() })

const period = z.enum(['day', 'month'])

/** GET /api/billing/alerts */
export const alertList = z.object({
  rows: z.array(
    z.object({
      id: z.string(),
      keyId: z.string().nullable(),
      /** Null for the whole account. */
      keyName: z.string().nullable(),
      period,
      amountNano: nano,
      /** Spent in the current UTC day or month. */
      spentNano: nano,
    }),
  ),
})
export type AlertRow = z.infer<typeof alertList>['rows'][number]

/** POST /api/billing/alerts: without a key the alert is about the whole account. */
export const alertInput = z.strictObject({
  keyId: z.string().min(1).max(64).nullable().default(null),
  period,
  amountNano: amount,
})
export type AlertInput = z.infer<typeof alertInput>
export const addedAlert = z.object({ id: z.string() })
