/** The interfaces that operators' alerts need. Money is bigint nano-dollars, times are Date. */
import type { Connection } from '../../domain/catalog.ts'
import type { StoredText } from '../../domain/stored-text.ts'
import type { Actor } from '../operator/operator-ports.ts'
import type { WebhookRecord } from '../webhooks/webhook-ports.ts'

/** The account id under which operators' webhook endpoints and notices are stored, next to those of accounts. */
export const PLATFORM_ACCOUNT_ID = 'house'

export interface AlertRuleValues {
  kind: 'breaker' | 'errors' | 'balance'
  scope: 'all' | 'model' | 'connection'
  scopeId: string | null
  percentBp: number | null
  minutes: number | null
  leastRequests: number | null
  belowNano: bigint | null
  quietMinutes: number
  emails: string[]
  webhooks: boolean
  enabled: boolean
}

export interface AlertRuleRecord extends AlertRuleValues {
  id: string
  version: number
}

export interface AlertRuleWithState extends AlertRuleRecord {
  scopeName: string | null
  firing: number
}

export interface AlertEventRecord {
  id: string
  ruleId: string
  kind: AlertRuleValues['kind']
  name: string
  detail: Record<string, unknown>
  firedAt: Date
  endedAt: Date | null
  ended: 'resolved' | 'dropped' | null
}

export type RuleOutcome = 'done' | 'stale' | 'missing' | 'no_subject'

/** Alert rules, what they have found, and who is notified. Every change is written with its line in the log. */
export interface Alerts {
  rules(): Promise<AlertRuleWithState[]>
  /** `no_subject`: the model or connection does not exist. */
  addRule(actor: Actor, id: string, values: AlertRuleValues): Promise<RuleOutcome>
  /** Switching a rule off ends whatever it has fired for. */
  changeRule(actor: Actor, id: string, version: number, values: AlertRuleValues): Promise<RuleOutcome>
  archiveRule(actor: Actor, id: string, version: number): Promise<RuleOutcome>
  /** The newest `rows` events before `before`. */
  events(before: string | null, rows: number): Promise<AlertEventRecord[]>
  /** Returns false if there are already `maxWebhooks`. */
  addWebhook(
    actor: Actor,
    hook: { id: string; url: string; description: string; secret: string; at: Date },
    maxWebhooks: number,
  ): Promise<boolean>
  /** Also clears its failures. `already`: it is already on. */
  enableWebhook(actor: Actor, id: string): Promise<'done' | 'already' | 'missing'>
  /** Returns false if there is none. */
  removeWebhook(actor: Actor, id: string): Promise<boolean>
  webhooks(): Promise<WebhookRecord[]>
}

/** Checks alert rules. Any number of processes may do so at once. */
export interface AlertWatch {
  /** The enabled rules. */
  rules(): Promise<AlertRuleRecord[]>
  /**
   * Checks a rule and records what has begun or ended, with the notices to send. Returns the number of alerts that fired or were
   * resolved.
   */
  checkRule(rule: AlertRuleRecord, now: Date): Promise<number>
}

export interface BalanceRecord {
  connectionId: string
  name: string
  kind: string
  archived: boolean
  statedNano: bigint | null
  statedAt: Date | null
  /** What is left of the stated amount. */
  reckonedNano: bigint | null
  askedNano: bigint | null
  askedCurrency: string | null
  askedAt: Date | null
  askError: string | null
  version: number
}

export type VendorBalanceResult = { ok: true; nano: bigint; currency: string } | { ok: false; message: StoredText }

export interface Balances {
  /** Ordered by name, starting after `after`. */
  list(after: string | null, rows: number): Promise<BalanceRecord[]>
  find(connectionId: string): Promise<BalanceRecord | null>
  stateBalance(
    actor: Actor,
    connectionId: string,
    version: number,
    stated: { nano: bigint; at: Date } | null,
  ): Promise<'done' | 'stale' | 'missing'>
  /** Claims connections of these kinds that are due. Each belongs to this caller until `next`. */
  claim(kinds: readonly string[], now: Date, next: Date): Promise<string[]>
  recordVendorBalance(connectionId: string, asked: VendorBalanceResult, at: Date): Promise<void>
}

export interface VendorBalance {
  /** The kinds of vendors that report their balance. */
  readonly kinds: readonly string[]
  /** Asks a vendor for its remaining balance. `currency` is preferred if it has several. */
  fetchBalance(connection: Connection, currency: string): Promise<VendorBalanceResult>
}
