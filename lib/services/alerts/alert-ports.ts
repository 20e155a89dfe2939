/** What alerts of operators need from the world. Money is bigint nano-dollars, times are Date. */
import type { Connection } from '../../domain/catalog.ts'
import type { Recorded } from '../../domain/recorded.ts'
import type { Actor } from '../operator/operator-ports.ts'
import type { WebhookRecord } from '../webhooks/webhook-ports.ts'

/** Under this name the endpoints of the operators stand among those of accounts, and what they are told. */
export const HOUSE = 'house'

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

export interface AlertRuleShown extends AlertRuleRecord {
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

/** Rules, what they have found, and who is told. Every change is written down with its line in the log. */
export interface Alerts {
  rules(): Promise<AlertRuleShown[]>
  /** `no_subject`: there is no such model or connection. */
  addRule(actor: Actor, id: string, values: AlertRuleValues): Promise<RuleOutcome>
  /** What a rule has fired for ends with it where it is switched off. */
  changeRule(actor: Actor, id: string, version: number, values: AlertRuleValues): Promise<RuleOutcome>
  archiveRule(actor: Actor, id: string, version: number): Promise<RuleOutcome>
  /** The newest `rows` events below `before`. */
  events(before: string | null, rows: number): Promise<AlertEventRecord[]>
  /** False at `most`. */
  addWebhook(
    actor: Actor,
    hook: { id: string; url: string; description: string; secret: string; at: Date },
    most: number,
  ): Promise<boolean>
  /** Forgets its failures with it. `already`: it is on. */
  enableWebhook(actor: Actor, id: string): Promise<'done' | 'already' | 'missing'>
  /** False where there is none. */
  removeWebhook(actor: Actor, id: string): Promise<boolean>
  webhooks(): Promise<WebhookRecord[]>
}

/** Looks whether rules hold. Any number of processes may do so at once. */
export interface AlertWatch {
  /** The rules that are switched on. */
  rules(): Promise<AlertRuleRecord[]>
  /** Looks, and writes down what has begun or ended, with what is to be told of it. Answers how much is to be told. */
  look(rule: AlertRuleRecord, now: Date): Promise<number>
}

export interface BalanceRecord {
  connectionId: string
  name: string
  kind: string
  archived: boolean
  statedNano: bigint | null
  statedAt: Date | null
  /** What is left of what was stated. */
  reckonedNano: bigint | null
  askedNano: bigint | null
  askedCurrency: string | null
  askedAt: Date | null
  askError: string | null
  version: number
}

export type Asked = { ok: true; nano: bigint; currency: string } | { ok: false; message: Recorded }

export interface Balances {
  /** By name, from after `after`. */
  list(after: string | null, rows: number): Promise<BalanceRecord[]>
  find(connectionId: string): Promise<BalanceRecord | null>
  state(
    actor: Actor,
    connectionId: string,
    version: number,
    stated: { nano: bigint; at: Date } | null,
  ): Promise<'done' | 'stale' | 'missing'>
  /** Connections of these kinds whose turn it is; each is this caller's until `next`. */
  claim(kinds: readonly string[], now: Date, next: Date): Promise<string[]>
  asked(connectionId: string, asked: Asked, at: Date): Promise<void>
}

export interface VendorBalance {
  /** The kinds of vendors that can be asked. */
  readonly kinds: readonly string[]
  /** Asks a vendor what is left of its money. `currency` is preferred where it has several. */
  ask(connection: Connection, currency: string): Promise<Asked>
}
