import { formatRates, parseRates } from '../domain/price.ts'
import type { Attempt } from '../domain/settlement.ts'
import type { NewTask, Task, TaskJson, TaskPin, TaskState, VideoAsk } from '../domain/task.ts'

/** A row of the table, with what other tables say about it. */
export interface TaskRow {
  id: string
  request_id: string
  account_id: string
  key_id: string
  group_id: string
  model_id: string
  endpoint: string
  state: TaskState
  seconds: number
  ask: VideoAsk | null
  asked: TaskJson
  pin: PinRow
  hold_nano: string
  keep_history: boolean
  own_ms: number
  turn: number
  in_place: boolean
  submits: number
  submitting: string | null
  deployment_id: string | null
  operation: TaskJson
  stop_vendor: boolean
  failing_ms: number
  age_ms: number
  failures: number
  trace: Attempt[]
  url: string | null
  error: string | null
  created_at: Date
  submitted_at: Date | null
  finished_at: Date | null
  expires_at: Date
  purses: string[]
  charged_nano: string | null
}

type RatesRow = Record<string, string>

/** Whole numbers in JSON are written as strings. */
interface PinRow {
  priceId: string
  priceFrom: string
  rates: RatesRow
  vendorRates: RatesRow
  groupName: string
  multiplierBp: string
}

/** A pinned price in the form the table stores. */
export const pinRow = ({ price, groupName, multiplierBp }: TaskPin): PinRow => ({
  priceId: price.id,
  priceFrom: price.from.toISOString(),
  rates: formatRates(price.rates),
  vendorRates: formatRates(price.vendorRates),
  groupName,
  multiplierBp: String(multiplierBp),
})

const pinOf = (row: PinRow): TaskPin => ({
  price: {
    id: row.priceId,
    from: new Date(row.priceFrom),
    rates: parseRates(row.rates),
    vendorRates: parseRates(row.vendorRates),
  },
  groupName: row.groupName,
  multiplierBp: BigInt(row.multiplierBp),
})

const identityOf = (row: TaskRow): Omit<NewTask, 'ask'> => ({
  id: row.id,
  requestId: row.request_id,
  accountId: row.account_id,
  keyId: row.key_id,
  groupId: row.group_id,
  modelId: row.model_id,
  endpoint: row.endpoint,
  asked: row.asked,
  pin: pinOf(row.pin),
  holdNano: BigInt(row.hold_nano),
  keepHistory: row.keep_history,
  ownMs: row.own_ms,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
})

/** The task in a row. */
export const taskOf = (row: TaskRow): Task => ({
  ...identityOf(row),
  state: row.state,
  seconds: row.seconds,
  ask: row.ask,
  budgets: row.purses.filter((purse) => purse !== row.account_id),
  turn: row.turn,
  inPlace: row.in_place,
  submits: row.submits,
  submitting: row.submitting,
  deploymentId: row.deployment_id,
  operation: row.operation,
  stopVendor: row.stop_vendor,
  failingMs: row.failing_ms,
  failures: row.failures,
  ageMs: row.age_ms,
  trace: row.trace,
  url: row.url,
  error: row.error,
  submittedAt: row.submitted_at,
  finishedAt: row.finished_at,
  chargedNano: row.charged_nano === null ? null : BigInt(row.charged_nano),
})
