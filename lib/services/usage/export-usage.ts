import type { UsageExportQuery } from '#lib/contracts/usage'
import { formatDecimal } from '../../domain/money.ts'
import { CSV_BOM, type CsvValue, formatCsvLine } from '../csv.ts'
import type { Download } from '../download.ts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { dayOf } from '../utc.ts'
import { filterOf, periodOf } from './usage-period.ts'
import type { HourRow, PieceCounts, RecordRow, UsageFilter, UsageSpan } from './usage-ports.ts'

/** The number of rows read, and held in memory, at a time. */
export const PAGE_ROWS = 1000

type Names = ReadonlyMap<string, string>
type Column<Row> = [name: string, value: (row: Row, names: Names) => CsvValue]

// The last columns, because programs that read these files may count on the places of the others.
const PIECE_COLUMNS: Column<PieceCounts>[] = [
  ['images', (row) => row.images],
  ['characters', (row) => row.characters],
  ['audio_seconds', (row) => row.audioSeconds],
  ['video_seconds', (row) => row.videoSeconds],
]

const HOUR_COLUMNS: Column<HourRow>[] = [
  ['hour', (row) => row.hour.toISOString()],
  ['key_id', (row) => row.keyId],
  ['key', (row, names) => names.get(row.keyId) ?? ''],
  ['model', (row) => row.model],
  ['modality', (row) => row.modality],
  ['requests', (row) => row.requests],
  ['errors', (row) => row.errors],
  ['input_units', (row) => row.inputUnits],
  ['cached_units', (row) => row.cachedUnits],
  ['output_units', (row) => row.outputUnits],
  ['cost', (row) => formatDecimal(row.chargedNano)],
  ...PIECE_COLUMNS,
]

const RECORD_COLUMNS: Column<RecordRow>[] = [
  ['id', (row) => row.id],
  ['time', (row) => row.at.toISOString()],
  ['key_id', (row) => row.keyId],
  ['key', (row, names) => names.get(row.keyId) ?? ''],
  ['model', (row) => row.model],
  ['endpoint', (row) => row.endpoint],
  ['stream', (row) => row.stream],
  ['status', (row) => row.status],
  ['outcome', (row) => row.outcome],
  ['error_code', (row) => row.errorCode],
  ['finish_reason', (row) => row.finishReason],
  ['input_units', (row) => row.inputUnits],
  ['cached_units', (row) => row.cachedUnits],
  ['output_units', (row) => row.outputUnits],
  ['reasoning_units', (row) => row.reasoningUnits],
  ['cost', (row) => formatDecimal(row.chargedNano)],
  ['estimated', (row) => row.estimated],
  ['first_token_ms', (row) => row.firstTokenMs],
  ['took_ms', (row) => row.tookMs],
  ['own_ms', (row) => row.ownMs],
  ...PIECE_COLUMNS,
  ['web_searches', (row) => row.webSearches],
]

async function* streamCsv<Row>(
  columns: Column<Row>[],
  names: Names,
  page: (last: Row | null) => Promise<Row[]>,
): AsyncGenerator<string> {
  let text = CSV_BOM + formatCsvLine(columns.map(([name]) => name))
  let last: Row | null = null
  for (;;) {
    const rows: Row[] = await page(last)
    for (const row of rows) text += formatCsvLine(columns.map(([, value]) => value(row, names)))
    if (text !== '') yield text
    text = ''
    last = rows.at(-1) ?? null
    if (rows.length < PAGE_ROWS) return
  }
}

function chunksOf(
  exports: Ctx<'usageExports'>['usageExports'],
  rows: UsageExportQuery['rows'],
  { accountId, span, filter, names }: { accountId: string; span: UsageSpan; filter: UsageFilter; names: Names },
): AsyncGenerator<string> {
  if (rows === 'hours') return streamCsv(HOUR_COLUMNS, names, (last) => exports.hours(accountId, span, filter, last, PAGE_ROWS))
  return streamCsv(RECORD_COLUMNS, names, (last) => exports.records(accountId, span, filter, last?.id ?? null, PAGE_ROWS))
}

/**
 * Exports usage as CSV, oldest first: by hour, key and model, or every single request. Costs are exact decimals of the currency's
 * units, times are UTC. Only one page is in memory, however long the export is.
 * Errors: `invalid_input` (range, from, to), `rate_limit_exceeded` while the account's maximum number of exports is in progress.
 */
export async function exportUsage({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'usageReports' | 'usageExports' | 'exportSlots'>
  input: UsageExportQuery
}): Promise<Download> {
  const { accountId } = ctx.user
  const { span } = periodOf(input, ctx.clock.now())
  const release = ctx.exportSlots.acquire(accountId)
  if (release === null) {
    throw new ServiceError('rate_limit_exceeded', 'Other exports of this account are in progress. Wait until one finishes.', {
      retryAfterMs: 5000,
    })
  }
  try {
    const names = await ctx.usageReports.keyNames(accountId)
    const last = new Date(span.to.getTime() - 1)
    return {
      name: `tollgate-${input.rows === 'hours' ? 'usage' : 'requests'}-${dayOf(span.from)}-${dayOf(last)}.csv`,
      type: 'text/csv; charset=utf-8',
      chunks: chunksOf(ctx.usageExports, input.rows, { accountId, span, filter: filterOf(input), names }),
      close: release,
    }
  } catch (error) {
    release()
    throw error
  }
}
