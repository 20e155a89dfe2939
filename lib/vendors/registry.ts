import type { Connection } from '../domain/catalog.ts'
import { amazonBedrock } from './bridge/amazon-bedrock.ts'
import { anthropic } from './bridge/anthropic.ts'
import { bridged } from './bridge/bridge.ts'
import { cohere } from './bridge/cohere.ts'
import type { Dialect } from './bridge/dialect.ts'
import { google } from './bridge/google.ts'
import { googleVertex } from './bridge/google-vertex.ts'
import { mistral } from './bridge/mistral.ts'
import { MEDIA } from './media/dialects.ts'
import { mediaBridged, together } from './media/media-bridge.ts'
import { NATIVE } from './native/dialects.ts'
import { openAiCompatible } from './openai-compatible.ts'
import type { SandboxOptions } from './sandbox/options.ts'
import { sandbox } from './sandbox.ts'
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

const own = <Value>(table: Readonly<Record<string, Value>>, kind: string): Value | null =>
  Object.hasOwn(table, kind) ? (table[kind] ?? null) : null

/** The function that makes a vendor for a kind of connection; null if it is unknown. A new vendor is a new line in a table. */
function makerOf(kind: string): Make | null {
  if (kind === 'sandbox') return (_connection, options) => sandbox(options)
  const native = own(NATIVE, kind)
  if (native) return (connection) => openAiCompatible(connection, native)
  const [chats, media] = [own(CHATS, kind), own(MEDIA, kind)]
  if (chats && media) return (connection) => together(bridged(connection, chats), mediaBridged(connection, media))
  if (chats) return (connection) => bridged(connection, chats)
  return media ? (connection) => ({ ...mediaBridged(connection, media), inputOverhead: 0 }) : null
}

/** The vendors, by connection. Each is made when it is first used, and again when the connection's settings change. */
export class VendorRegistry {
  #made = new Map<string, { settings: string; vendor: Vendor }>()
  /** The object of a connection in a catalog does not change, so it identifies the vendor after the first lookup. */
  readonly #known = new WeakMap<Connection, Vendor>()
  readonly #options: SandboxOptions

  /** `options` are for the sandbox, which gets them in no other way. */
  constructor(options: SandboxOptions = {}) {
    this.#options = options
  }

  /** The vendor behind a connection; null if its kind is unknown. */
  get(connection: Connection): Vendor | null {
    const vendor = this.#known.get(connection) ?? this.#find(connection)
    if (vendor) this.#known.set(connection, vendor)
    return vendor
  }

  async close(): Promise<void> {
    await Promise.all([...this.#made.values()].map(({ vendor }) => vendor.close?.()))
  }

  #find(connection: Connection): Vendor | null {
    const settings = JSON.stringify(connection)
    const known = this.#made.get(connection.id)
    if (known?.settings === settings) return known.vendor
    const make = makerOf(connection.kind)
    if (!make) return null
    // The old one is not closed: requests in flight still use it, and its idle sockets close by themselves.
    const vendor = make(connection, this.#options)
    this.#made.set(connection.id, { settings, vendor })
    return vendor
  }
}
