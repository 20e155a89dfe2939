import type { Env } from '../env.ts'
import type { Stripe } from '../services/billing/billing-ports.ts'
import { createCards } from './stripe/cards.ts'
import { createCheckouts } from './stripe/checkout.ts'
import { createStripeCaller, type Log } from './stripe/client.ts'
import { createEvents } from './stripe/events.ts'
import { createOffSessionPayments } from './stripe/off-session-payments.ts'

type Settings = Pick<Env, 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET' | 'STRIPE_API_BASE'>

/** Stripe through its own library, which is loaded on first use. Without its keys, nothing of it is available. */
export function createStripe(env: Settings, log: Log): Stripe {
  const { STRIPE_SECRET_KEY: key, STRIPE_WEBHOOK_SECRET: webhookSecret } = env
  const caller = createStripeCaller(key, env.STRIPE_API_BASE, log)
  return {
    configured: key !== undefined && webhookSecret !== undefined,
    ...createCheckouts(caller),
    ...createEvents(caller, webhookSecret),
    ...createCards(caller),
    ...createOffSessionPayments(caller),
  }
}
