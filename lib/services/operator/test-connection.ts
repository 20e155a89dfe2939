import type { ProbeView } from '#lib/contracts/operator-connections'
import type { Connection } from '../../domain/catalog.ts'
import type { Ctx } from '../ports.ts'
import { headersOf } from './catalog-views.ts'
import { findConnection } from './get-connection.ts'
import type { ConnectionRecord, Sealing } from './operator-ports.ts'

/** A connection with its secrets decrypted, for calls to its vendor. */
export const unsealConnection = (record: ConnectionRecord, sealing: Sealing): Connection => ({
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

/** The vendor's name of a chat model that the connection runs; null if there is none. */
async function chatModelOf(ctx: Ctx<'catalogReads' | 'clock'>, connectionId: string): Promise<string | null> {
  const deployments = await ctx.catalogReads.deployments({ connectionId })
  for (const { modelId, upstreamModel, enabled, archivedAt } of deployments) {
    if (!enabled || archivedAt !== null) continue
    const model = await ctx.catalogReads.model(modelId, ctx.clock.now())
    if (model?.modality === 'chat') return upstreamModel
  }
  return null
}

/**
 * Asks the vendor for its models with the connection's own settings, and reports what went wrong. A vendor without a list is
 * asked for one token of a chat model that the connection runs, if there is one. Errors: `not_found`.
 */
export async function testConnection({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'sealing' | 'vendorProbe' | 'clock'>
  input: { id: string }
}): Promise<ProbeView> {
  const record = await findConnection(ctx, input.id)
  const connection = unsealConnection(record, ctx.sealing)
  const listing = await ctx.vendorProbe.probeModels(connection)
  const chat = !listing.ok && listing.reason === 'unlisted' ? await chatModelOf(ctx, record.id) : null
  const probe = chat === null ? listing : await ctx.vendorProbe.probeChat(connection, chat)
  if (probe.ok) return { ok: true, tookMs: probe.tookMs, models: probe.models.length, chat }
  return { ok: false, tookMs: probe.tookMs, reason: probe.reason, message: probe.message }
}
