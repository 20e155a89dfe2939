import { formatIsoTime } from '../../domain/iso-time.ts'
import { tokensIn, tokensOut } from '../../domain/usage.ts'
import type { SettlementRow } from '../../ledger/ports.ts'

// Usage records in COPY's text format (PostgreSQL manual, "COPY"): one line each, with tabs between the columns.

/** The columns of a line, in order. `charged_nano` is what the request costs. */
export const RECORD_COLUMNS = [
  'id',
  'at',
  'account_id',
  'key_id',
  'group_id',
  'model_id',
  'endpoint',
  'stream',
  'status',
  'outcome',
  'error_code',
  'error_text',
  'finish_reason',
  'input_units',
  'cached_units',
  'output_units',
  'reasoning_units',
  'hold_nano',
  'charged_nano',
  'shortfall_nano',
  'vendor_cost_nano',
  'estimated',
  'receipt',
  'trace',
  'own_ms',
  'first_token_ms',
  'took_ms',
] as const

export type RecordColumn = (typeof RECORD_COLUMNS)[number]

const SPECIAL = /[\\\t\n\r]/
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' }
const UNESCAPES: Readonly<Record<string, string>> = { '\\': '\\', t: '\t', n: '\n', r: '\r' }
const NULL = '\\N'

const escapeText = (text: string): string =>
  SPECIAL.test(text) ? text.replace(/[\\\t\n\r]/g, (found) => ESCAPES[found] ?? '') : text
const orNull = (text: string | null): string => (text === null ? NULL : escapeText(text))

/** The line of a request that is charged its full price or costs nothing. */
export function recordLine({ item, actual, receipt, trace }: SettlementRow): string {
  const { usage } = item
  const estimated = item.receipt !== null && !item.receipt.certainty.exact
  return `${escapeText(item.id)}\t${formatIsoTime(item.at)}\t${escapeText(item.accountId)}\t${escapeText(item.keyId)}\t${escapeText(item.groupId)}\t${escapeText(item.modelId)}\t${escapeText(item.endpoint)}\t${item.stream}\t${item.status}\t${item.outcome}\t${orNull(item.errorCode)}\t${orNull(item.errorText)}\t${orNull(item.finishReason)}\t${tokensIn(usage)}\t${usage.cachedInput}\t${tokensOut(usage)}\t${usage.reasoning}\t${item.holdNano}\t${actual}\t0\t${item.receipt?.vendorCost ?? 0n}\t${estimated}\t${escapeText(receipt)}\t${escapeText(trace)}\t${item.ownMs}\t${item.firstTokenMs ?? NULL}\t${item.tookMs}\n`
}

/** The contents of such lines, column by column. */
export function recordColumns(lines: string): Record<RecordColumn, (string | null)[]> {
  const rows = lines.split('\n').slice(0, -1)
  const cells = rows.map((line) => line.split('\t').map(unescapeCell))
  return Object.fromEntries(RECORD_COLUMNS.map((name, at) => [name, cells.map((row) => row[at] ?? null)])) as Record<
    RecordColumn,
    (string | null)[]
  >
}

const unescapeCell = (cell: string): string | null =>
  cell === NULL ? null : cell.includes('\\') ? cell.replace(/\\(.)/g, (_, found: string) => UNESCAPES[found] ?? found) : cell
