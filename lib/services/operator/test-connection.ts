import type { ProbeView } from '#lib/contracts/operator'
import type { Connection } from '../../domain/catalog.ts'
import type { ConnectionRecord, Sealing } from '../operator-ports.ts'
import type { Ctx } from '../ports.ts'
import { findConnection } from './get-connection.ts'
import { headersOf } from './views.ts'

/** A connection with its secrets open, to call its vendor with. */
export const openConnection = (record: ConnectionRecord, sealing: Sealing): Connection => ({
  id: record.id,
  name: record.name,
  kind: record.kind,
  baseUrl: record.baseUrl,
  secret: record.secretSealed && sealing.open(record.secretSealed),
  headers: headersOf(record, sealing),
  proxy: record.proxySealed && sealing.open(record.proxySealed),
  connectTimeoutMs: record.connectTimeoutMs,
  headersTimeoutMs: record.headersTimeoutMs,
  idleTimeoutMs: record.idleTimeoutMs,
})

/** Asks the vendor for its models with the connection's own settings, and says what went wrong. Errors: `not_found`. */
export async function testConnection({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'sealing' | 'vendorProbe'>
  input: { id: string }
}): Promise<ProbeView> {
  const record = await findConnection(ctx, input.id)
  const probe = await ctx.vendorProbe.ask(openConnection(record, ctx.sealing))
  if (probe.ok) return { ok: true, tookMs: probe.tookMs, models: probe.models.length }
  return { ok: false, tookMs: probe.tookMs, reason: probe.reason, message: probe.message }
}
