import type { DeploymentRow, OperatorModelRow, PriceRow } from '#lib/contracts/operator'
import type { ConnectionRow } from '#lib/contracts/operator-connections'
import type { OperatorGroupRow } from '#lib/contracts/operator-groups'
import type {
  ConnectionRecord,
  DeploymentRecord,
  OperatorGroupRecord,
  OperatorModelRecord,
  PriceRecord,
  Sealing,
} from './operator-ports.ts'

const timeOf = (at: Date | null): string | null => at?.toISOString() ?? null

/** The headers that a connection sends, with their values. Never part of an answer. */
export function headersOf({ headers, headersSealed }: ConnectionRecord, sealing: Sealing): Record<string, string> {
  return headersSealed ? (JSON.parse(sealing.open(headersSealed)) as Record<string, string>) : headers
}

/** A connection as operators see it: it shows that there are secrets, but never their values. */
export function connectionView(record: ConnectionRecord, sealing: Sealing): ConnectionRow {
  const { secretSealed, headersSealed: _, proxySealed, headers: _plain, archivedAt, createdAt, ...row } = record
  return {
    ...row,
    hasSecret: secretSealed !== null,
    headerNames: Object.keys(headersOf(record, sealing)).sort(),
    proxyHost: proxySealed && new URL(sealing.open(proxySealed)).host,
    archivedAt: timeOf(archivedAt),
    createdAt: createdAt.toISOString(),
  }
}

export const modelView = (record: OperatorModelRecord): OperatorModelRow => ({
  ...record,
  facts: record.facts as OperatorModelRow['facts'],
  archivedAt: timeOf(record.archivedAt),
  createdAt: record.createdAt.toISOString(),
})

export const priceView = ({ id, startsAt, createdAt, rates, vendorRates, note }: PriceRecord): PriceRow => ({
  id,
  startsAt: startsAt.toISOString(),
  createdAt: createdAt.toISOString(),
  rates,
  vendorRates,
  note,
})

export const deploymentView = (record: DeploymentRecord): DeploymentRow => ({
  ...record,
  archivedAt: timeOf(record.archivedAt),
})

export const groupView = (record: OperatorGroupRecord): OperatorGroupRow => ({
  ...record,
  archivedAt: timeOf(record.archivedAt),
  createdAt: record.createdAt.toISOString(),
})
