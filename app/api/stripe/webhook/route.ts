import { stripeWebhook } from '#app/api/console'

export const POST = stripeWebhook
