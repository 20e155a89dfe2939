import { createConsoleRoutes } from '#lib/console/route'
import { createStripeWebhook } from '#lib/console/stripe-webhook'
import { runtime } from '#lib/runtime'

const getConsole = async () => (await runtime()).console

/** The console's routes, bound to this process. */
export const { consoleRoute, operatorRoute, downloadRoute, guestRoute, openRoute, healthRoute, nowhereRoute } =
  createConsoleRoutes(getConsole)

/** What Stripe tells us. */
export const stripeWebhook = createStripeWebhook(getConsole)
