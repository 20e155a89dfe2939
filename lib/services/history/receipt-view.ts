import { attempt, type PiecesUsed, piecesUsed, type ReceiptView, type RequestDetail } from '#lib/contracts/requests'
import type { RequestDetailRecord } from './request-ports.ts'

/**
 * A stored receipt, as lib/ledger/settlement-row.ts writes it: the shape of the contract, or `{}` if nothing was priced. Receipts
 * are kept for years and are read by newer code than wrote them. So each part is read separately, a missing part is taken from
 * the record, and none of this may fail.
 */
type JsonObject = Record<string, unknown>

const asObject = (value: unknown): JsonObject => (typeof value === 'object' && value !== null ? (value as JsonObject) : {})
const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

/** A whole number as its digits, or null if the value is not one. */
function digitsOf(value: unknown): string | null {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value
  return typeof text === 'string' && /^-?\d{1,19}$/.test(text) ? text : null
}

function timeOf(value: unknown): string | null {
  const ms = typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isNaN(ms) ? null : new Date(ms).toISOString()
}

function lineOf(value: unknown): ReceiptView['lines'][number] {
  const line = asObject(value)
  return {
    unit: textOf(line.unit) ?? 'unknown',
    count: digitsOf(line.count) ?? '0',
    priceNano: digitsOf(line.priceNano) ?? '0',
    amountNano: digitsOf(line.amountNano) ?? '0',
  }
}

const linesOf = (stored: JsonObject): ReceiptView['lines'] => (Array.isArray(stored.lines) ? stored.lines.map(lineOf) : [])

/** The units a request used other than tokens, from its receipt. Images of all sizes and qualities are added up. */
export function piecesView(stored: unknown): PiecesUsed | null {
  const lines = linesOf(asObject(stored)).flatMap(({ unit, count }) => {
    const parsed = piecesUsed.safeParse({ unit: unit.split(':', 1)[0], count: Number(count) })
    return parsed.success && parsed.data.count > 0 ? [parsed.data] : []
  })
  const [first] = lines
  if (first === undefined) return null
  return { unit: first.unit, count: lines.reduce((sum, { unit, count }) => (unit === first.unit ? sum + count : sum), 0) }
}

/** What a request was charged, and why. A refused request has a receipt without lines. */
export function receiptView(
  record: Pick<RequestDetailRecord, 'receipt' | 'groupName' | 'chargedNano' | 'estimated'>,
): ReceiptView {
  const stored = asObject(record.receipt)
  return {
    priceId: textOf(stored.priceId),
    priceFrom: timeOf(stored.priceFrom),
    lines: linesOf(stored),
    groupName: textOf(stored.groupName) ?? record.groupName,
    multiplierBp: Number(digitsOf(stored.multiplierBp) ?? 10_000),
    totalNano: digitsOf(stored.totalNano) ?? record.chargedNano.toString(),
    exact: typeof stored.exact === 'boolean' ? stored.exact : !record.estimated,
    why: textOf(stored.why),
  }
}

/** The vendors that were tried, from a trace that is a list of attempts or has one under `attempts`. */
export function attemptsView(trace: unknown): RequestDetail['attempts'] {
  const list = Array.isArray(trace) ? trace : asObject(trace).attempts
  if (!Array.isArray(list)) return []
  return list.flatMap((value) => {
    const parsed = attempt.safeParse(value)
    return parsed.success ? [parsed.data] : []
  })
}
