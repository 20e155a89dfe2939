import type { ChangeResult } from '#lib/contracts/operator'
import type { UpdateConnectionInput } from '#lib/contracts/operator-connections'
import type { Ctx } from '../ports.ts'
import { invalidField } from '../service-error.ts'
import { applyChange } from './apply-changes.ts'
import { headersOf } from './catalog-views.ts'
import { connectionValues, requireKind, sealHeaders, setsUrlPart } from './connection-values.ts'
import { findConnection } from './get-connection.ts'
import type { ConnectionRecord, ConnectionValues, Sealing } from './operator-ports.ts'

/**
 * Changes the named values of a connection. A stored secret is never sent to another host: moving the connection to one requires
 * its credentials and the values of its headers again.
 * Errors: `not_found`, `conflict`, `invalid_input`.
 */
export async function updateConnection({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'catalogWrites' | 'sealing'>
  input: UpdateConnectionInput
}): Promise<ChangeResult> {
  const { id, version, archived, credentials, headers, proxy, baseUrl: _, ...rest } = input
  const record = await findConnection(ctx, id)
  const settings = settingsOf(record, input)
  checkHostChange(record, input, settings?.baseUrl ?? record.baseUrl, ctx.sealing)
  const value: Partial<ConnectionValues> & { archived?: boolean } = { ...omitUndefined(rest) }
  if (archived !== undefined) value.archived = archived
  if (settings) value.baseUrl = settings.baseUrl
  if (settings && credentials !== undefined)
    value.secretSealed = settings.secret === null ? null : ctx.sealing.seal(settings.secret)
  if (headers !== undefined) value.headersSealed = sealHeaders(headers, headersOf(record, ctx.sealing), ctx.sealing)
  if (proxy !== undefined) value.proxySealed = proxy === null ? null : ctx.sealing.seal(proxy)
  return applyChange(ctx, { do: 'set', target: 'connection', id, version, value })
}

/**
 * The address and secrets after the change; null if neither is given. Without a new address the known one stays, unless its parts
 * are given.
 */
function settingsOf({ kind: id, baseUrl: known }: ConnectionRecord, { baseUrl, credentials: given }: UpdateConnectionInput) {
  const credentials = given ?? null
  if (baseUrl === undefined && credentials === null) return null
  const kind = requireKind(id)
  const moved = credentials !== null && setsUrlPart(kind, credentials)
  return connectionValues(kind, { baseUrl: baseUrl === undefined ? (moved ? null : known) : baseUrl, credentials })
}

const originOf = (address: string | null): string => (address === null ? '' : new URL(address).origin)

/** Errors: `invalid_input` if a stored secret that was not entered again would be sent to another place than before. */
function checkHostChange(record: ConnectionRecord, input: UpdateConnectionInput, baseUrl: string | null, sealing: Sealing): void {
  const moved = originOf(baseUrl) !== originOf(record.baseUrl)
  const known = record.proxySealed && sealing.open(record.proxySealed)
  const rerouted = input.proxy !== undefined && input.proxy !== null && originOf(input.proxy) !== originOf(known)
  if (!moved && !rerouted) return
  if (record.secretSealed && input.credentials === undefined)
    throw invalidField('credentials', 'This would send the credentials to a different host. Enter them again.')
  const kept = input.headers === undefined ? Object.keys(headersOf(record, sealing)) : keptHeaders(input.headers)
  if (kept.length > 0) throw invalidField('headers', 'This would send the headers to a different host. Enter their values again.')
}

const keptHeaders = (headers: Record<string, string | null>): string[] =>
  Object.keys(headers).filter((name) => headers[name] === null)

/** The fields of an input that are present. */
export const omitUndefined = <T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>
  }
