import type { Connection } from '../domain/catalog.ts'
import { anthropic } from './bridge/anthropic.ts'
import { bridged } from './bridge/bridge.ts'
import { google } from './bridge/google.ts'
import { openAiCompatible } from './openai-compatible.ts'
import { sandbox } from './sandbox.ts'
import type { Vendor } from './vendor.ts'

/** What each kind of connection is made of. A new vendor is a new line. */
const KINDS: Record<string, (connection: Connection) => Vendor> = {
  openai: (connection) =>
    openAiCompatible(connection, { capField: 'max_completion_tokens', knowsStore: true, inputOverhead: 64 }),
  'openai-compatible': (connection) =>
    openAiCompatible(connection, { capField: 'max_tokens', knowsStore: false, inputOverhead: 512 }),
  anthropic: (connection) => bridged(connection, anthropic),
  google: (connection) => bridged(connection, google),
  sandbox: () => sandbox(),
}

/** Vendors by connection, made when first used and again when the connection's settings change. */
export class VendorRegistry {
  #made = new Map<string, { settings: string; vendor: Vendor }>()
  /** A catalog's connection does not change: whoever has asked once is known by it alone. */
  readonly #known = new WeakMap<Connection, Vendor>()

  /** The vendor behind a connection; null where its kind is not known. */
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
    const make = KINDS[connection.kind]
    if (!make) return null
    // The old one is not closed: requests that are under way still use it, and its idle sockets close by themselves.
    const vendor = make(connection)
    this.#made.set(connection.id, { settings, vendor })
    return vendor
  }
}
