import ipaddr from 'ipaddr.js'
import type { MaybePromise } from '../domain/maybe-promise.ts'
import type { IncomingRequest } from './answer.ts'
import type { GatewayPorts } from './ports.ts'

declare const received: unique symbol

type PathParams = Record<string, string | string[] | undefined>

/** What a host knows about a request besides the request itself. */
export interface HostContext {
  params?: Promise<PathParams> | PathParams | undefined
  /** The address at the other end of the socket, if the host can see it. */
  peer?: string | undefined
  /** Whether the host sends an Answer itself. */
  lane?: boolean
}

/** A request whose headers have arrived. Nothing of its body has been read. */
export interface Received {
  readonly [received]: true
  readonly id: string
  readonly request: IncomingRequest
  readonly params: Record<string, string>
  /** The client's address; null if no host vouches for one. */
  readonly address: string | null
  /** Wall clock at arrival. */
  readonly at: Date
  /** Monotonic milliseconds at arrival. */
  readonly startedMs: number
}

/** The first stage: gives the request an id and finds out where it came from. */
export function receive(request: IncomingRequest, context: HostContext, ports: GatewayPorts): MaybePromise<Received> {
  const { params } = context
  return params instanceof Promise
    ? params.then((own) => createReceived(own, request, context, ports))
    : createReceived(params, request, context, ports)
}

function createReceived(
  params: PathParams | undefined,
  request: IncomingRequest,
  context: HostContext,
  ports: GatewayPorts,
): Received {
  return new ReceivedRequest(params, request, context, ports) as unknown as Received
}

/** A request that has arrived. */
class ReceivedRequest implements Omit<Received, typeof received> {
  readonly id: string
  readonly request: IncomingRequest
  readonly params: Record<string, string>
  readonly at: Date
  readonly startedMs: number
  readonly #peer: string | undefined
  readonly #trusted: readonly string[]

  constructor(params: PathParams | undefined, request: IncomingRequest, context: HostContext, ports: GatewayPorts) {
    const nowMs = ports.now()
    this.id = ports.newId('req', nowMs)
    this.request = request
    this.params = params === undefined ? {} : paramsOf(params)
    this.at = new Date(nowMs)
    this.startedMs = ports.ticks()
    this.#peer = context.peer
    this.#trusted = ports.settings.trustedProxies
  }

  /** A getter, because few requests need it and it is expensive to compute. */
  get address(): string | null {
    return clientAddress(this.#peer, this.request.headers.get('x-forwarded-for'), this.#trusted)
  }
}

function paramsOf(params: PathParams): Record<string, string> {
  return Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.map(decode).join('/') : decode(value ?? ''),
    ]),
  )
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The canonical form of an address, for comparison: IPv4 inside IPv6 becomes IPv4. Null if the text is not an address. */
export function normalizeAddress(text: string | undefined): string | null {
  if (text === undefined || !ipaddr.isValid(text)) return null
  return ipaddr.process(text).toString()
}

/** Reads an address as proxies write it: some add the port, and then put an IPv6 address in brackets. */
function parseHopAddress(hop: string): string | null {
  const [, bracketed, single] = /^(?:\[(.+)\](?::\d+)?|([^:]+):\d+)$/.exec(hop) ?? []
  return normalizeAddress(bracketed ?? single ?? hop)
}

/** Whether an address is in one of the given addresses and ranges. */
export function isAddressIn(address: string, ranges: readonly string[]): boolean {
  const parsed = ipaddr.process(address)
  return ranges.some((range) => {
    const [base, bits] = range.includes('/') ? ipaddr.parseCIDR(range) : [ipaddr.process(range), null]
    if (base.kind() !== parsed.kind()) return false
    return bits === null ? base.toString() === parsed.toString() : parsed.match(base, bits)
  })
}

/** The client's address: the last hop that no trusted proxy added. Anything further left was written by the client. */
export function clientAddress(peer: string | undefined, forwarded: string | null, trusted: readonly string[]): string | null {
  let address = normalizeAddress(peer)
  if (address === null || forwarded === null || trusted.length === 0) return address
  for (const hop of forwarded.split(',').reverse()) {
    if (!isAddressIn(address, trusted)) return address
    const next = parseHopAddress(hop.trim())
    if (next === null) return address
    address = next
  }
  return address
}
