import { z } from 'zod'
import { count, nano, pageLimit, pageSchema, time } from './common.ts'
import { beforeId } from './cursor.ts'
import { webhookRow } from './webhooks.ts'

const id = z.string().min(1).max(200)
const version = z.number().int().min(1)

/** Who is notified, and how soon again. */
const notificationFields = {
  emails: z.array(z.string().trim().toLowerCase().pipe(z.email().max(254))).max(10),
  /** Through the operators' webhook endpoints. */
  webhooks: z.boolean(),
  /** For this long after an alert ends, nothing is sent about the same thing. */
  quietMinutes: z.number().int().min(1).max(1440).default(15),
  enabled: z.boolean().default(true),
}

const breaker = { kind: z.literal('breaker'), modelId: id.nullable() }
const errors = {
  kind: z.literal('errors'),
  /** Watches everything, each model, or each connection; or only the one that `scopeId` names. */
  scope: z.enum(['all', 'model', 'connection']),
  scopeId: id.nullable(),
  percent: z
    .number()
    .min(0.01)
    // It fires above the percentage, and nothing is above 100.
    .lt(100)
    .refine((value) => Math.abs(value * 100 - Math.round(value * 100)) < 1e-6, 'Use at most two decimal places.'),
  minutes: z.number().int().min(1).max(60),
  leastRequests: z.number().int().min(1).max(1_000_000_000),
}
const balance = {
  kind: z.literal('balance'),
  connectionId: id.nullable(),
  belowNano: nano.refine((text) => !text.startsWith('-') && text.length <= 18, 'Enter an amount of zero or more.'),
}

/** POST /api/operator/alerts */
export const alertRuleInput = z.discriminatedUnion('kind', [
  z.strictObject({ ...breaker, ...notificationFields }),
  z.strictObject({ ...errors, ...notificationFields }),
  z.strictObject({ ...balance, ...notificationFields }),
])
export type AlertRuleInput = z.infer<typeof alertRuleInput>

/** PATCH /api/operator/alerts/{id}: the whole new rule. */
export const changeAlertRuleInput = z.discriminatedUnion('kind', [
  z.strictObject({ id, version, ...breaker, ...notificationFields }),
  z.strictObject({ id, version, ...errors, ...notificationFields }),
  z.strictObject({ id, version, ...balance, ...notificationFields }),
])
export type ChangeAlertRuleInput = z.infer<typeof changeAlertRuleInput>

export const alertRule = z.object({
  id: z.string(),
  version: z.number(),
  kind: z.enum(['breaker', 'errors', 'balance']),
  scope: z.enum(['all', 'model', 'connection']),
  scopeId: z.string().nullable(),
  /** The display name of what it is about. */
  scopeName: z.string().nullable(),
  percent: z.number().nullable(),
  minutes: z.number().nullable(),
  leastRequests: z.number().nullable(),
  belowNano: nano.nullable(),
  quietMinutes: z.number(),
  emails: z.array(z.string()),
  webhooks: z.boolean(),
  enabled: z.boolean(),
  /** How many things it is firing for now. */
  firing: count,
})
export type AlertRule = z.infer<typeof alertRule>

const alertWebhook = webhookRow.omit({ events: true, oldSecretUntil: true })

/** GET /api/operator/alerts */
export const alertList = z.object({
  rules: z.array(alertRule),
  webhooks: z.array(alertWebhook),
  /** Whether mail is sent, or only written to the log. */
  mail: z.boolean(),
  currency: z.string(),
})
export type AlertList = z.infer<typeof alertList>
export type AlertWebhook = z.infer<typeof alertWebhook>

/** GET /api/operator/alert-events?before=&limit= : newest first. */
export const alertEventQuery = z.strictObject({
  before: beforeId('alert'),
  limit: pageLimit(30, 100),
})
export type AlertEventQuery = z.infer<typeof alertEventQuery>

export const alertEvent = z.object({
  id: z.string(),
  ruleId: z.string(),
  kind: alertRule.shape.kind,
  name: z.string(),
  detail: z.record(z.string(), z.unknown()),
  firedAt: time,
  endedAt: time.nullable(),
  /** `dropped`: its rule was switched off or changed before the alert ended. */
  ended: z.enum(['resolved', 'dropped']).nullable(),
})
export type AlertEvent = z.infer<typeof alertEvent>
export const alertEventPage = pageSchema(alertEvent)

/** POST /api/operator/alert-webhooks */
export const addAlertWebhookInput = z.strictObject({
  url: z.string().trim().min(1).max(500),
  description: z.string().trim().max(200).default(''),
})
export type AddAlertWebhookInput = z.infer<typeof addAlertWebhookInput>
/** The only time the secret is shown. */
export const alertWebhookSecret = z.object({ id: z.string(), secret: z.string() })

/** GET /api/operator/balances */
export const connectionBalance = z.object({
  connectionId: z.string(),
  name: z.string(),
  kind: z.string(),
  archived: z.boolean(),
  /** Whether this kind of vendor can be asked for its balance. */
  asks: z.boolean(),
  /** What is left, if known, and whether the vendor reported it or it was calculated. */
  leftNano: nano.nullable(),
  from: z.enum(['vendor', 'stated']).nullable(),
  currency: z.string().nullable(),
  statedNano: nano.nullable(),
  statedAt: time.nullable(),
  askedAt: time.nullable(),
  askError: z.string().nullable(),
  /** 0 if nothing is stored for it. */
  version: count,
})
export type ConnectionBalance = z.infer<typeof connectionBalance>
export const balanceList = pageSchema(connectionBalance)

/** PATCH /api/operator/balances/{id}: the balance at a given time; null removes it. `at` defaults to now. */
export const stateBalanceInput = z.strictObject({
  id,
  version: count,
  amountNano: balance.belowNano.nullable(),
  at: time.optional(),
})
export type StateBalanceInput = z.infer<typeof stateBalanceInput>
