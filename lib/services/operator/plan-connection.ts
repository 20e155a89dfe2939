import type { CatalogFile } from '#lib/contracts/catalog-file'
import { messageWith } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { invalidField } from '../service-error.ts'
import { headersOf } from './catalog-views.ts'
import { connectionValues, hasUrlTemplate, requireKind, sealHeaders } from './connection-values.ts'
import type { ConnectionRecord, ConnectionValues, Sealing } from './operator-ports.ts'
import type { PlanStep } from './read-catalog.ts'

type Entry = CatalogFile['connections'][string]
type Context = Ctx<'ids' | 'sealing'> & { env: (name: string) => string | undefined }

/** Resolves a reference. Errors: `invalid_input` if the environment does not have it. */
function resolveReference(reference: { env: string }, place: string, ctx: Context): string {
  const value = ctx.env(reference.env)
  if (value === undefined || value === '')
    throw invalidField(place, messageWith('The variable {variable} is not set.', { variable: reference.env }))
  return value
}

const unseal = (sealed: Uint8Array | null | undefined, sealing: Sealing): string | null => (sealed ? sealing.open(sealed) : null)

/** Seals the text if it differs from the stored one. Returns undefined if it is the same. */
function resealIfChanged(
  text: string | null,
  kept: Uint8Array | null | undefined,
  sealing: Sealing,
): Uint8Array | null | undefined {
  if (text === unseal(kept, sealing)) return undefined
  return text === null ? null : sealing.seal(text)
}

/** The address, and the secrets if the file has any. */
function settingsOf(entry: Entry, current: ConnectionRecord | undefined, ctx: Context) {
  const kind = requireKind(entry.kind)
  const { credentials } = entry
  // The parts of a built address are only known together with the credentials.
  const keptBaseUrl = credentials === undefined && hasUrlTemplate(kind) ? (current?.baseUrl ?? null) : null
  const credentialEntries = Object.entries(credentials ?? {}).map(([field, from]) => [
    field,
    resolveReference(from, `credentials.${field}`, ctx),
  ])
  const hasCredentials = credentials !== undefined || !current
  return connectionValues(kind, {
    baseUrl: entry.baseUrl ?? keptBaseUrl,
    credentials: hasCredentials ? Object.fromEntries(credentialEntries) : null,
  })
}

function sealedOf(
  entry: Entry,
  secret: string | null,
  current: ConnectionRecord | undefined,
  ctx: Context,
): Partial<ConnectionValues> {
  const values: Partial<ConnectionValues> = {}
  const setSealed = (key: 'secretSealed' | 'headersSealed' | 'proxySealed', sealed: Uint8Array | null | undefined) => {
    if (sealed !== undefined) values[key] = sealed
  }
  if (entry.credentials || !current) setSealed('secretSealed', resealIfChanged(secret, current?.secretSealed, ctx.sealing))
  if (entry.headers) {
    const known = current ? headersOf(current, ctx.sealing) : {}
    const wanted = Object.entries(entry.headers).map(([header, from]) => [
      header,
      from && resolveReference(from, `headers.${header}`, ctx),
    ])
    const sealed = sealHeaders(Object.fromEntries(wanted) as Record<string, string | null>, known, ctx.sealing)
    const text = unseal(sealed, ctx.sealing)
    if (text !== (Object.keys(known).length > 0 ? JSON.stringify(known) : null)) setSealed('headersSealed', sealed)
  }
  if (entry.proxy !== undefined)
    setSealed(
      'proxySealed',
      resealIfChanged(entry.proxy && resolveReference(entry.proxy, 'proxy', ctx), current?.proxySealed, ctx.sealing),
    )
  return values
}

/** Plans the change that makes a connection match the file; null if there is none. Errors: `invalid_input`, naming the field. */
export function planConnection(name: string, entry: Entry, current: ConnectionRecord | undefined, ctx: Context): PlanStep | null {
  if (current && current.kind !== entry.kind)
    throw invalidField(
      'kind',
      messageWith('"{name}" is a connection of the kind {kind}, which cannot change. Choose another name.', {
        name,
        kind: current.kind,
      }),
    )
  const settings = settingsOf(entry, current, ctx)
  const { kind, connectTimeoutMs, headersTimeoutMs, idleTimeoutMs, concurrency } = entry
  const plain = {
    kind,
    baseUrl: settings.baseUrl,
    connectTimeoutMs,
    headersTimeoutMs,
    idleTimeoutMs,
    concurrency,
  }
  const secrets = sealedOf(entry, settings.secret, current, ctx)
  if (!current) {
    const value = { secretSealed: null, headersSealed: null, proxySealed: null, ...plain, ...secrets, name }
    return { change: { do: 'add', target: 'connection', id: ctx.ids.create('con'), value }, line: `+ connection ${name}` }
  }
  const changed = Object.entries(plain).filter(([key, value]) => value !== current[key as keyof typeof plain])
  const value = { ...Object.fromEntries(changed), ...secrets, ...(current.archivedAt ? { archived: false } : {}) }
  if (Object.keys(value).length === 0) return null
  const change = { do: 'set', target: 'connection', id: current.id, version: current.version, value } as const
  return { change, line: `~ connection ${name}: ${Object.keys(value).join(', ')}` }
}
