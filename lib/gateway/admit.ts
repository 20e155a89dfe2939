import { createHash } from 'node:crypto'
import type { Caller } from '../domain/catalog.ts'
import { Refusal, refuseField } from '../domain/errors.ts'
import { IDEMPOTENCY_KEY } from '../domain/idempotency-key.ts'
import { keyPurses } from '../domain/key-purses.ts'
import { charge } from '../domain/money.ts'
import { type ModelPrice, maxInputRate, maxOutputRate, mediaCounts, rateOf } from '../domain/price.ts'
import { QUOTA_REFUSALS } from '../domain/quota-refusals.ts'
import type { BillableEndpoint, Bound } from '../wire/endpoint.ts'
import type { Authenticated } from './authenticate.ts'
import type { Exchange } from './exchange.ts'
import type { MinuteLimits } from './limits/ports.ts'
import type { GatewayPorts, HoldPort, HoldRefusal, Spender } from './ports.ts'
import type { Prepared } from './prepare.ts'

declare const admitted: unique symbol

/** A request that money is held for. Only such a request reaches a vendor. */
export interface Admitted<Input, P> {
  readonly [admitted]: true
  readonly kind: 'admitted'
  readonly request: Prepared<Input, P>
  readonly bound: Bound
}

/** A repeat of a request that was already answered. */
export interface Replayed {
  readonly kind: 'replayed'
  readonly requestId: string
  readonly status: number
  readonly headers: Record<string, string>
  readonly body: Uint8Array
}

/** The fifth stage: limits, idempotency, and the hold. The exchange gives back everything that is taken here. */
export async function admit<Input, P>(
  request: Prepared<Input, P>,
  endpoint: BillableEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Admitted<Input, P> | Replayed> {
  const { caller } = request.from
  if (caller.suspended) throw new Refusal('no_quota', QUOTA_REFUSALS.suspended, { headers: DO_NOT_RETRY })
  const counting = exchange.minute.take(caller.keyId, limitsOf(request.from, ports), Math.ceil(request.body.textBytes / 4))
  if (counting !== null) await counting
  const idempotencyKey = request.from.received.request.headers.get('idempotency-key')
  const replay = idempotencyKey === null ? null : await claim(idempotencyKey, request, endpoint.name, exchange, ports)
  if (replay) return replay
  const spender = { accountId: caller.accountId, keyId: caller.keyId, budgets: budgetsOf(caller, request.from.received.at) }
  const spendable = ports.wallet.spendableNano(spender)
  const free = typeof spendable === 'bigint' ? spendable : await spendable
  const preferred = computeBound(free, request, endpoint, exchange, ports)
  // What a key's tasks hold counts towards its share when it asks for more tasks.
  const inTasks = endpoint.kind === 'job' ? await ports.tasks.heldBy(caller.accountId, caller.keyId) : 0n
  const holding = ports.wallet.hold({ ...spender, inTasks, amount: preferred.amount })
  const hold = 'then' in holding ? await holding : holding
  if (!('refused' in hold)) return admitWith(hold, request, preferred.bound, exchange)
  if (hold.refused === 'not_in_touch') throw refuseHold(hold)
  // The database was asked by now. A request without its own cap settles for the minimum if others have left less.
  const minimal = computeBound(0n, request, endpoint, exchange, ports)
  const secondHold =
    minimal.amount < preferred.amount ? await ports.wallet.hold({ ...spender, inTasks, amount: minimal.amount }) : hold
  if ('refused' in secondHold) throw refuseHold(secondHold)
  return admitWith(secondHold, request, minimal.bound, exchange)
}

function admitWith<Input, P>(hold: HoldPort, request: Prepared<Input, P>, bound: Bound, exchange: Exchange): Admitted<Input, P> {
  exchange.setHold(hold)
  return { kind: 'admitted', request, bound } as Admitted<Input, P>
}

/** The most that a request can use and cost. If it names no cap, that is limited to what can be spent. */
function computeBound<Input, P>(
  free: bigint,
  request: Prepared<Input, P>,
  endpoint: BillableEndpoint<Input, P>,
  exchange: Exchange,
  ports: GatewayPorts,
): { bound: Bound; amount: bigint } {
  const { price } = request
  const { multiplierBp } = request.from.group
  const bound = endpoint.bound(request.work, request.ports, price, multiplierBp, free, overheadOf(request, ports))
  // A price that cannot bill the answer or express its vendor's cost throws here, before anybody works for nothing.
  if (bound.usage.media || !billable.has(price)) exchange.receipt(bound.usage, { exact: true })
  billable.add(price)
  return { bound, amount: priceBound(bound, price, multiplierBp) }
}

/** Prices that have billed every unit of a bound. For text, the units that a model sells are always the same. */
const billable = new WeakSet<ModelPrice>()

/** For clients that would otherwise retry the same request in vain. */
export const DO_NOT_RETRY = { 'x-should-retry': 'false' }

/** Requests and tokens per minute: the group's limits or the defaults, and less if the key has a lower limit. */
export function limitsOf({ caller, group }: Authenticated, ports: GatewayPorts): MinuteLimits {
  const { defaultRpm, defaultTpm } = ports.settings
  const [rpm, tpm] = [group.rpm ?? defaultRpm, group.tpm ?? defaultTpm]
  return { rpm: Math.min(caller.rpm ?? rpm, rpm), tpm: Math.min(caller.tpm ?? tpm, tpm) }
}

/** The largest overhead that any of its deployments adds, because any of them may answer. */
function overheadOf(request: Prepared<unknown, unknown>, ports: GatewayPorts): number {
  return Math.max(0, ...request.model.deployments.map((item) => ports.vendor(item.connection)?.inputOverhead ?? 0))
}

/** What a bound costs at the highest rates: a true upper bound of any receipt within it. */
export function priceBound(bound: Bound, price: ModelPrice, multiplierBp: bigint): bigint {
  const { rates } = price
  const { usage } = bound
  const input = usage.input > 0n ? charge(usage.input, maxInputRate(rates), multiplierBp) : 0n
  const output = usage.output > 0n ? charge(usage.output, maxOutputRate(rates), multiplierBp) : 0n
  const media = mediaCounts(usage).reduce((sum, [unit, count]) => sum + charge(count, rateOf(rates, unit), multiplierBp), 0n)
  const request = rates.request === undefined ? 0n : charge(usage.requests, rateOf(rates, 'request'), multiplierBp)
  // A receipt rounds up each of its lines. The input may be split into three of them, and images are a line apart from the output,
  // as is reasoning if it has a rate.
  const outputRounding = rates.reasoning === undefined ? 1n : 2n
  const rounding = (input > 0n ? 2n : 0n) + (output > 0n ? outputRounding : 0n)
  return input + output + media + request + rounding
}

/** The purses of a key's limits. The month is the UTC month in which the request arrived. */
function budgetsOf(caller: Caller, at: Date): Spender['budgets'] {
  const budgets = []
  const purses = keyPurses(caller.keyId, at)
  if (caller.limitTotal !== null) budgets.push({ purseId: purses.total, limit: caller.limitTotal, monthStart: null })
  if (caller.limitMonth !== null) {
    const month = at.toISOString().slice(0, 7)
    budgets.push({ purseId: purses.month, limit: caller.limitMonth, monthStart: new Date(`${month}-01T00:00:00Z`) })
  }
  return budgets
}

function refuseHold({ refused }: HoldRefusal): Refusal {
  if (refused === 'not_in_touch')
    return new Refusal('unavailable', 'The gateway cannot reach its ledger right now. Try again in a moment.', {
      retryAfter: 2,
      detail: refused,
    })
  if (refused === 'key_share' || refused === 'held')
    return new Refusal(
      'too_many_requests',
      refused === 'held'
        ? 'Requests in progress hold the balance that this one could need. Wait until some finish.'
        : 'Requests in progress with this key hold half of the balance. Wait until some finish.',
      { retryAfter: 1 },
    )
  const message = refused === 'key_limit' ? QUOTA_REFUSALS.key_limit : QUOTA_REFUSALS.balance
  return new Refusal('no_quota', message, { headers: DO_NOT_RETRY })
}

async function claim(
  key: string,
  request: Prepared<unknown, unknown>,
  path: string,
  exchange: Exchange,
  ports: GatewayPorts,
): Promise<Replayed | null> {
  const { received, caller } = request.from
  if (!IDEMPOTENCY_KEY.test(key))
    throw refuseField('Idempotency-Key', 'The Idempotency-Key header must have 1 to 255 printable characters without spaces.')
  const hash = createHash('sha256').update(`POST ${path}\n`).update(request.body.identity).digest()
  const claimRequest = { accountId: caller.accountId, key, keyId: caller.keyId, hash, requestId: received.id }
  const claimed = await ports.idempotency.claim(claimRequest).catch((error: unknown) => {
    // The claim may have succeeded although its answer was lost: the exchange releases it when the database is reachable.
    exchange.setClaim(key)
    throw error
  })
  if (claimed.kind === 'claimed') {
    exchange.setClaim(key)
    return null
  }
  if (claimed.kind === 'other')
    throw new Refusal(
      'idempotency_mismatch',
      'This Idempotency-Key was used for a different request. Use a new key for a new request.',
      { param: 'Idempotency-Key' },
    )
  if (claimed.kind === 'running')
    throw new Refusal(
      'idempotency_running',
      'The first request with this Idempotency-Key is still running. Try again in a moment.',
      { retryAfter: 1 },
    )
  return { kind: 'replayed', requestId: claimed.requestId, status: claimed.status, headers: claimed.headers, body: claimed.body }
}
