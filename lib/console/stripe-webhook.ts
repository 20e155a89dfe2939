import { handleStripeEvent } from '../services/billing/handle-stripe-event.ts'
import { jsonAnswer } from './problem.ts'
import { readBytes } from './read-bytes.ts'
import type { Console } from './runtime.ts'

/** An event has a few kilobytes. What is much larger is not an event. */
const MAX_EVENT_BYTES = 1024 * 1024

const refuse = (status: number, code: string, message: string): Response => jsonAnswer({ error: { code, message } }, status)

/**
 * POST /api/stripe/webhook. 200: processed, processed before, or not ours. 400: not signed by Stripe with our secret within
 * five minutes. 5xx: not processed, so that Stripe sends it again. The body is read as raw bytes, because these are signed.
 */
export function createStripeWebhookHandler(getConsole: () => Promise<Console>): (request: Request) => Promise<Response> {
  return async (request) => {
    const { ports, log, eventRejections } = await getConsole()
    if (!ports.stripe.configured) return refuse(503, 'unavailable', 'Set STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET first.')
    const body = await readBytes(request, MAX_EVENT_BYTES)
    if (body === null) return refuse(413, 'too_large', 'This is too large to be a Stripe event.')
    const event = await ports.stripe.verify(body, request.headers.get('stripe-signature'))
    if ('rejected' in event) {
      eventRejections.report(event.rejected)
      return refuse(400, 'invalid_signature', 'This event has no valid, recent signature from Stripe.')
    }
    const logFields = { event: event.id, type: event.type }
    try {
      const result = await handleStripeEvent({ ctx: ports, input: event })
      if ('note' in result)
        log.error({ ...logFields, note: result.note }, 'a Stripe event was accepted and needs a person to look at it')
      if (!('why' in result)) return jsonAnswer({ received: true, outcome: result.outcome }, 200)
      if (result.outcome === 'early') {
        log.warn({ ...logFields, why: result.why }, 'a Stripe event came too early; Stripe is asked to send it again')
        return refuse(503, 'unavailable', 'Send this event again later.')
      }
      log.error({ ...logFields, why: result.why }, 'a Stripe event contradicts our records: nothing was booked')
      return refuse(500, 'conflict', 'This event contradicts our records. Nothing was booked.')
    } catch (error) {
      // Only the message: an event contains a person's address.
      log.error({ ...logFields, error: error instanceof Error ? error.message : String(error) }, 'a Stripe event was not booked')
      return refuse(500, 'server_error', 'This event was not booked. Send it again.')
    }
  }
}
