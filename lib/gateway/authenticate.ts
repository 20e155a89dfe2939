import { isKeyFormat } from '../domain/api-key.ts'
import type { Caller, Catalog, Group } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import { networkOf } from '../domain/network.ts'
import type { IncomingRequest } from './answer.ts'
import type { GatewayPorts } from './ports.ts'
import { isAddressIn, type Received } from './receive.ts'

declare const authenticated: unique symbol

/** A request whose sender is known and may call. */
export interface Authenticated {
  readonly [authenticated]: true
  readonly received: Received
  readonly caller: Caller
  readonly group: Group
  /** As it was at `at`. It does not change while the request runs. */
  readonly catalog: Catalog
  /** When all this was looked up, by the wall clock. The price is the one of this time. */
  readonly at: Date
}

const KEY_HINT = 'Send "Authorization: Bearer sk-tg-..." with a key from the console\'s key page.'

/** The headers in which clients of other APIs put their keys: Azure's, Anthropic's and Google's. */
const OTHER_KEY_HEADERS = ['api-key', 'x-api-key', 'x-goog-api-key']

function describeMissingKey(headers: IncomingRequest['headers']): string {
  const other = OTHER_KEY_HEADERS.find((name) => headers.get(name) !== null)
  return other === undefined ? `No API key was given. ${KEY_HINT}` : `The header "${other}" is not supported here. ${KEY_HINT}`
}

/** The second stage. Wrong, revoked and expired keys get the same answer, so that nothing can be learned from it. */
export function authenticate(received: Received, ports: GatewayPorts): MaybePromise<Authenticated> {
  const secret = parseBearer(received.request.headers.get('authorization'))
  if (secret === null) throw new Refusal('invalid_key', describeMissingKey(received.request.headers))
  // A key in use is admitted from any address: a stranger behind the same address cannot lock its holder out.
  if (!ports.isKnown(secret)) return authenticateUnknown(secret, received, ports)
  const found = ports.findCaller(secret)
  return found instanceof Promise
    ? found.then((caller) => acceptCaller(caller, received, received.at, ports))
    : acceptCaller(found, received, received.at, ports)
}

/** How long what was looked up at the headers holds, in milliseconds. A change reaches every process within a second. */
const FRESH_MS = 500

/**
 * The sender once the body has arrived, which can take hours: in the meantime its key may have been revoked, and prices changed.
 * Null if it arrived at once, so that nothing has to be looked up again.
 */
export function reauthenticate({ received }: Authenticated, ports: GatewayPorts): Promise<Authenticated> | null {
  if (ports.ticks() - received.startedMs < FRESH_MS) return null
  return lookUpAgain(received, ports)
}

async function lookUpAgain(received: Received, ports: GatewayPorts): Promise<Authenticated> {
  const secret = parseBearer(received.request.headers.get('authorization')) ?? ''
  return await acceptCaller(await ports.findCaller(secret), received, new Date(ports.now()), ports)
}

async function authenticateUnknown(secret: string, received: Received, ports: GatewayPorts): Promise<Authenticated> {
  const waitSeconds = received.address === null ? 0 : await ports.limiter.blockedSeconds(networkOf(received.address))
  if (waitSeconds === 0)
    return await acceptCaller(isKeyFormat(secret) ? await ports.findCaller(secret) : null, received, received.at, ports)
  // It may be a good key that was not used here yet: by somebody else at the address, or before this process started.
  const caller = isKeyFormat(secret) ? await ports.findCallerSparingly(secret) : null
  if (!caller || caller.revoked) throw tooManyFailures(waitSeconds)
  return await acceptCaller(caller, received, received.at, ports)
}

function acceptCaller(caller: Caller | null, received: Received, at: Date, ports: GatewayPorts): MaybePromise<Authenticated> {
  if (!caller || caller.revoked || (caller.expiresAtMs !== null && caller.expiresAtMs <= ports.now()))
    return refuseKey(received, ports, `This API key is not valid: it is wrong, revoked or expired. ${KEY_HINT}`)
  if (caller.addressAllow.length > 0 && (received.address === null || !isAddressIn(received.address, caller.addressAllow)))
    return refuseKey(received, ports, 'This API key cannot be used from this IP address. The account holder can change that.')
  const catalog = ports.catalog()
  const group = catalog.groups.get(caller.groupId)
  if (!group) throw new Refusal('internal', 'The group of this key is not loaded yet. Try again in a moment.')
  return { received, caller, group, catalog, at } as Authenticated
}

function parseBearer(header: string | null): string | null {
  const match = /^bearer +([\x21-\x7e]{1,512})$/i.exec(header?.trim() ?? '')
  return match?.[1] ?? null
}

async function refuseKey(received: Received, ports: GatewayPorts, message: string): Promise<never> {
  const waitSeconds = received.address === null ? 0 : await ports.limiter.strike(networkOf(received.address))
  if (waitSeconds > 0) throw tooManyFailures(waitSeconds)
  throw new Refusal('invalid_key', message)
}

function tooManyFailures(waitSeconds: number): Refusal {
  return new Refusal(
    'too_many_requests',
    `Too many requests with invalid keys came from this address. Try again in ${waitSeconds} s.`,
    { retryAfter: waitSeconds },
  )
}
