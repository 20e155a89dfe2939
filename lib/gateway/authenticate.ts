import { isKeyFormat } from '../domain/api-key.ts'
import type { Caller, Catalog, Group } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import { networkOf } from '../domain/network.ts'
import type { IncomingRequest } from './answer.ts'
import type { GatewayPorts } from './ports.ts'
import { addressIn, type Received } from './receive.ts'

declare const authenticated: unique symbol

/** A request whose sender is known and may call. */
export interface Authenticated {
  readonly [authenticated]: true
  readonly received: Received
  readonly caller: Caller
  readonly group: Group
  /** The catalog at the time of the request. It does not change while the request runs. */
  readonly catalog: Catalog
}

const HOW = 'Send "Authorization: Bearer sk-tg-..." with a key from the console\'s key page.'

/** The headers in which clients of other APIs put their keys: Azure's, Anthropic's and Google's. */
const ELSEWHERE = ['api-key', 'x-api-key', 'x-goog-api-key']

function withoutKey(headers: IncomingRequest['headers']): string {
  const other = ELSEWHERE.find((name) => headers.get(name) !== null)
  return other === undefined ? `No API key was given. ${HOW}` : `The header "${other}" is not supported here. ${HOW}`
}

/** The second stage. Wrong, revoked and expired keys get the same answer, so that nothing can be learned from it. */
export function authenticate(received: Received, ports: GatewayPorts): MaybePromise<Authenticated> {
  const secret = bearer(received.request.headers.get('authorization'))
  if (secret === null) throw new Refusal('invalid_key', withoutKey(received.request.headers))
  // A key in use is admitted from any address: a stranger behind the same address cannot lock its holder out.
  if (!ports.isKnown(secret)) return authenticateStranger(secret, received, ports)
  const found = ports.findCaller(secret)
  return found instanceof Promise ? found.then((caller) => letIn(caller, received, ports)) : letIn(found, received, ports)
}

async function authenticateStranger(secret: string, received: Received, ports: GatewayPorts): Promise<Authenticated> {
  await refuseStruck(received, ports)
  return await letIn(isKeyFormat(secret) ? await ports.findCaller(secret) : null, received, ports)
}

function letIn(caller: Caller | null, received: Received, ports: GatewayPorts): MaybePromise<Authenticated> {
  if (!caller || caller.revoked || (caller.expiresAtMs !== null && caller.expiresAtMs <= ports.now()))
    return refuseKey(received, ports, `This API key is not valid: it is wrong, revoked or expired. ${HOW}`)
  if (caller.addressAllow.length > 0 && (received.address === null || !addressIn(received.address, caller.addressAllow)))
    return refuseKey(received, ports, 'This API key cannot be used from this IP address. The account holder can change that.')
  const catalog = ports.catalog()
  const group = catalog.groups.get(caller.groupId)
  if (!group) throw new Refusal('internal', 'The group of this key is not loaded yet. Try again in a moment.')
  return { received, caller, group, catalog } as Authenticated
}

function bearer(header: string | null): string | null {
  const match = /^bearer +([\x21-\x7e]{1,512})$/i.exec(header?.trim() ?? '')
  return match?.[1] ?? null
}

async function refuseStruck(received: Received, ports: GatewayPorts): Promise<void> {
  const waitSeconds = received.address === null ? 0 : await ports.limiter.struck(networkOf(received.address))
  if (waitSeconds > 0) throw tooManyFailures(waitSeconds)
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
