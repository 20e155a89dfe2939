import type { Connection } from '../domain/catalog.ts'
import { amazonBedrock } from './bridge/amazon-bedrock.ts'
import { anthropic } from './bridge/anthropic.ts'
import { createBridged } from './bridge/bridge.ts'
import { cohere } from './bridge/cohere.ts'
import type { Dialect } from './bridge/dialect.ts'
import { google } from './bridge/google.ts'
import { googleVertex } from './bridge/google-vertex.ts'
import { mistral } from './bridge/mistral.ts'
import { MEDIA_DIALECTS } from './media/dialects.ts'
import { combineVendors, createMediaBridged } from './media/media-bridge.ts'
import { NATIVE_DIALECTS } from './native/dialects.ts'
import { createOpenAiCompatible } from './openai-compatible.ts'
import type { SandboxOptions } from './sandbox/options.ts'
import { createSandbox } from './sandbox.ts'
import type { Vendor } from './vendor.ts'

type Make = (connection: Connection, options: SandboxOptions) => Vendor

/** Vendors whose chats use another wire than OpenAI's. */
const CHATS: Readonly<Record<string, Dialect>> = {
  anthropic,
  google,
  'google-vertex': googleVertex,
  'amazon-bedrock': amazonBedrock,
  mistral,
  cohere,
}

const ownValue = <Value>(table: Readonly<Record<string, Value>>, kind: string): Value | null =>
  Object.hasOwn(table, kind) ? (table[kind] ?? null) : null

/** The function that makes a vendor for a kind of connection; null if it is unknown. A new vendor is a new line in a table. */
function vendorFactoryOf(kind: string): Make | null {
  if (kind === 'sandbox') return (_connection, options) => createSandbox(options)
  const native = ownValue(NATIVE_DIALECTS, kind)
  if (native) return (connection) => createOpenAiCompatible(connection, native)
  const [chats, media] = [ownValue(CHATS, kind), ownValue(MEDIA_DIALECTS, kind)]
  if (chats && media)
    return (connection) => combineVendors(createBridged(connection, chats), createMediaBridged(connection, media))
  if (chats) return (connection) => createBridged(connection, chats)
  return media ? (connection) => ({ ...createMediaBridged(connection, media), inputOverhead: 0 }) : null
}

/** The vendors, by connection. Each is made when it is first used, and again when the connection's settings change. */
export class VendorRegistry {
  #byId = new Map<string, { settings: string; vendor: Vendor }>()
  /** The object of a connection in a catalog does not change, so it identifies the vendor after the first lookup. */
  readonly #byConnection = new WeakMap<Connection, Vendor>()
  readonly #options: SandboxOptions

  /** `options` are for the sandbox, which gets them in no other way. */
  constructor(options: SandboxOptions = {}) {
    this.#options = options
  }

  /** The vendor behind a connection; null if its kind is unknown. */
  get(connection: Connection): Vendor | null {
    const vendor = this.#byConnection.get(connection) ?? this.#find(connection)
    if (vendor) this.#byConnection.set(connection, vendor)
    return vendor
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byId.values()].map(({ vendor }) => vendor.close?.()))
  }

  #find(connection: Connection): Vendor | null {
    const settings = JSON.stringify(connection)
    const known = this.#byId.get(connection.id)
    if (known?.settings === settings) return known.vendor
    const make = vendorFactoryOf(connection.kind)
    if (!make) return null
    // The old one is not closed: requests in flight still use it, and its idle sockets close by themselves.
    const vendor = make(connection, this.#options)
    this.#byId.set(connection.id, { settings, vendor })
    return vendor
  }
}
