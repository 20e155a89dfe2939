import { tokensIn, tokensOut } from '../domain/usage.ts'
import type { EndedRequest, GatewayPorts } from './ports.ts'

/** Counts a finished request as traffic, and reports it if requests are traced. */
export function countTraffic(ended: EndedRequest, ports: GatewayPorts): void {
  const { item, settled, calls } = ended
  const { firstTokenMs, tookMs, receipt, usage } = item
  const lastMs = calls.startsMs.at(-1)
  const sinceLastCall = (ms: number | null): number | null =>
    ms === null || lastMs === undefined ? null : Math.max(0, ms - lastMs)
  ports.traffic.recordFinished({
    modelId: ports.catalog().models.has(item.modelId) ? item.modelId : '',
    deployment: calls.deployment,
    outcome: settled === null ? 'undelivered' : item.outcome,
    status: settled === null ? 503 : item.status,
    tokensIn: tokensIn(usage),
    tokensOut: tokensOut(usage),
    chargedNano: settled?.charged ?? 0n,
    vendorCostNano: receipt?.vendorCost ?? 0n,
    shortfallNano: settled?.shortfall ?? 0n,
    firstTokenMs,
    tookMs,
    callResult: item.trace.at(-1)?.result ?? null,
    callFirstMs: sinceLastCall(firstTokenMs),
    callMs: sinceLastCall(calls.endMs ?? tookMs),
  })
  ports.spans?.recordFinished(ended)
}
