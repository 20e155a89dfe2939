import type { Deployment } from '../domain/catalog.ts'
import type { Settled, Settlement } from '../domain/settlement.ts'
import { tokensIn, tokensOut } from '../domain/usage.ts'
import type { GatewayPorts } from './ports.ts'

/** The last call of a request to a vendor. Times are milliseconds from the request's headers on. */
export interface LastCall {
  deployment: Deployment | null
  startMs: number | null
  /** Null where it goes on until the request's end. */
  endMs: number | null
}

/** Counts a request that is over among the traffic. `settled` is null where the database would not take it. */
export function countTraffic(item: Settlement, settled: Settled | null, call: LastCall, ports: GatewayPorts): void {
  const { firstTokenMs, tookMs, receipt, usage } = item
  const since = (ms: number | null): number | null =>
    ms === null || call.startMs === null ? null : Math.max(0, ms - call.startMs)
  ports.traffic.finished({
    modelId: ports.catalog().models.has(item.modelId) ? item.modelId : '',
    deployment: call.deployment,
    outcome: settled === null ? 'undelivered' : item.outcome,
    status: settled === null ? 503 : item.status,
    tokensIn: tokensIn(usage),
    tokensOut: tokensOut(usage),
    chargedNano: settled?.charged ?? 0n,
    vendorCostNano: receipt?.vendorCost ?? 0n,
    shortfallNano: settled?.shortfall ?? 0n,
    firstTokenMs,
    tookMs,
    callFirstMs: since(firstTokenMs),
    callMs: since(call.endMs ?? tookMs),
  })
}
