import type { Content } from '../blocks.ts'
import { more } from './more.ts'
import { reference } from './reference/reference.ts'
import { start } from './start.ts'
import { errors, outcomes } from './tables.ts'
import { webhooks } from './webhooks.ts'

export const zh: Content = {
  pages: [
    start.quickstart,
    start.authentication,
    start.streaming,
    more.errors,
    start.limits,
    more.idempotency,
    more.billing,
    more.video,
    more.files,
    webhooks,
  ],
  errors,
  outcomes,
  reference,
}
