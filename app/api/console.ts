import { createConsoleRoutes } from '#lib/console/route'
import { createStripeWebhookHandler } from '#lib/console/stripe-webhook'
import { runtime } from '#lib/runtime'

const getConsole = async () => (await runtime()).console

/** The route helpers of the console, bound to this process. */
export const {
  consoleRoute,
  operatorRoute,
  downloadRoute,
  guestRoute,
  openRoute,
  healthRoute,
  notFoundRoute: nowhereRoute,
} = createConsoleRoutes(getConsole)

/** Receives the webhooks that Stripe sends. */
export const stripeWebhook = createStripeWebhookHandler(getConsole)
