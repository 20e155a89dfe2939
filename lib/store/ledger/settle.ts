import type pg from 'pg'
import { minBigInt } from '../../domain/money.ts'
import type { SettlementResult } from '../../domain/settlement.ts'
import type { Batch, SettlementRow } from '../../ledger/ports.ts'
import { encodeByteaArray, encodeTextArray, encodeUnquotedArray } from '../encode-arrays.ts'
import { copyAndCall, type Prepared, prepareStatements } from './pipeline.ts'
import { RECORD_COLUMNS, type RecordColumn, recordColumns, recordLine } from './record-lines.ts'
import { settlementSums } from './settle-sums.ts'

/** Separates the JSON texts of a batch. Inside JSON it occurs only as an escape. */
const SEPARATOR = '\x1e'

function answersOf(rows: readonly SettlementRow[]): string[] {
  const answered = rows.flatMap(({ item: { answer } }, index) => (answer ? [{ at: index + 1, answer }] : []))
  return [
    encodeUnquotedArray(answered.map(({ at }) => at)),
    encodeTextArray(answered.map(({ answer }) => answer.key)),
    encodeUnquotedArray(answered.map(({ answer }) => answer.status)),
    encodeTextArray(answered.map(({ answer }) => JSON.stringify(answer.headers))),
    encodeByteaArray(answered.map(({ answer }) => answer.body)),
  ]
}

/** Encodes rows in the form in which they are posted, and posted again. */
export function encodeSettlements(rows: readonly SettlementRow[]): Batch {
  const records = rows.map(recordLine).join('')
  const draws = rows.map((row) => row.draws.map(({ purse, lease }) => `${purse}\t${lease ?? ''}`).join('\t')).join('\n')
  const undrawn = encodeTextArray([...new Set(rows.flatMap((row) => row.undrawn))])
  const answers = answersOf(rows)
  return {
    records,
    draws,
    undrawn,
    voids: rows.flatMap(({ item }, at) => (item.void ? [at] : [])),
    answers,
    bytes: [records, draws, undrawn, ...answers].reduce((sum, text) => sum + text.length, 0),
  }
}

/** Which row draws on which purse through which lease, and how much at most. */
function drawsOf(draws: string, holds: readonly bigint[], actuals: readonly bigint[]) {
  const [at, purses, leases, wants]: [number[], string[], (string | null)[], bigint[]] = [[], [], [], []]
  for (const [index, line] of draws.split('\n').entries()) {
    const cells = line.split('\t')
    for (let cell = 0; cell < cells.length; cell += 2) {
      at.push(index + 1)
      purses.push(cells[cell] ?? '')
      leases.push(cells[cell + 1] || null)
      wants.push(minBigInt(actuals[index] ?? 0n, holds[index] ?? 0n))
    }
  }
  return {
    drawn: [...new Set(purses)],
    values: [encodeUnquotedArray(at), encodeTextArray(purses), encodeTextArray(leases), encodeUnquotedArray(wants)],
  }
}

/** Columns of a record that settle_batch() does not take unchanged. */
const SEPARATE_COLUMNS: ReadonlySet<RecordColumn> = new Set([
  'shortfall_nano',
  'receipt',
  'trace',
  'own_ms',
  'first_token_ms',
  'took_ms',
])

/** The arguments of settle_batch(), in order. */
function batchValues(batch: Batch, mayBePosted: boolean): unknown[] {
  const columns = recordColumns(batch.records)
  const bigIntColumn = (name: RecordColumn) => columns[name].map((cell) => BigInt(cell ?? 0))
  const draws = drawsOf(batch.draws, bigIntColumn('hold_nano'), bigIntColumn('charged_nano'))
  const voids = new Set(batch.voids)
  return [
    encodeTextArray(draws.drawn),
    batch.undrawn,
    mayBePosted,
    ...RECORD_COLUMNS.filter((name) => !SEPARATE_COLUMNS.has(name)).map((name) => encodeTextArray(columns[name])),
    columns.receipt.join(SEPARATOR),
    columns.trace.join(SEPARATOR),
    encodeTextArray(columns.own_ms),
    encodeTextArray(columns.first_token_ms),
    encodeTextArray(columns.took_ms),
    encodeUnquotedArray(columns.id.map((_, at) => voids.has(at))),
    ...draws.values,
    ...batch.answers,
  ]
}

const placeholders = (count: number): string => Array.from({ length: count }, (_, at) => `$${at + 1}`).join()

/** Without an `id` it is about an account, each of whose rows was charged its price. */
interface Row {
  account_id: string
  id: string | null
  fresh: boolean
  charged_nano: string | null
  shortfall_nano: string | null
  balance_nano: string
  recall: boolean
}

const resultOf = (row: Row): SettlementResult => ({
  id: row.id ?? '',
  fresh: row.fresh,
  charged: BigInt(row.charged_nano ?? 0),
  shortfall: BigInt(row.shortfall_nano ?? 0),
  balance: BigInt(row.balance_nano),
  recall: row.recall,
})

type AccountState = Pick<SettlementResult, 'balance' | 'recall'>

/** Results for rows that were each charged their price. `accounts` has the current state of their accounts. */
const chargedResults = (rows: readonly SettlementRow[], accounts: ReadonlyMap<string, AccountState>): SettlementResult[] =>
  rows.flatMap(({ item, actual }) => {
    const account = accounts.get(item.accountId)
    if (!account) return []
    return [{ id: item.id, fresh: true, charged: actual, shortfall: 0n, balance: account.balance, recall: account.recall }]
  })

/**
 * Posts settlements in a single statement, which is its own transaction, however much money there is. `rows` are what the batch
 * was made of; they are ignored if it may have been posted before.
 */
export async function postSettlements(
  client: pg.Client | pg.Pool,
  batch: Batch,
  mayBePosted: boolean,
  rows: readonly SettlementRow[] | null,
): Promise<SettlementResult[]> {
  const { rows: resultRows } = await client.query<Row>({
    name: 'settle',
    text: `SELECT * FROM settle_batch(${placeholders(39)})`,
    values: batchValues(batch, mayBePosted),
  })
  if (resultRows.some((row) => row.id !== null)) return resultRows.map(resultOf)
  return chargedResults(rows ?? [], new Map(resultRows.map((row) => [row.account_id, resultOf(row)])))
}

const COPY: Prepared = { name: 'copy_records', text: `COPY usage_record (${RECORD_COLUMNS.join()}) FROM STDIN` }
const SETTLE_FAST: Prepared = { name: 'settle_at_once', text: `SELECT * FROM settle_at_once(${placeholders(20)})` }

/** Prepares a connection for postSettlementsFast(). */
export const prepareSettling = (client: pg.Client): Promise<void> => prepareStatements(client, [COPY, SETTLE_FAST])

/**
 * Posts settlements that are only charges out of leases, in half the time of postSettlements(). Returns null if they are
 * something else. Rejects if the database finds that they are, and then nothing has changed.
 */
export async function postSettlementsFast(
  client: pg.Client,
  batch: Batch,
  rows: readonly SettlementRow[],
): Promise<SettlementResult[] | null> {
  const sums = settlementSums(rows, batch.undrawn)
  if (sums === null) return null
  const accounts = new Map<string, AccountState>()
  for (const [id, balance, recall] of await copyAndCall(client, COPY, batch.records, SETTLE_FAST, sums))
    if (id != null) accounts.set(id, { balance: BigInt(balance ?? 0), recall: recall === 't' })
  return chargedResults(rows, accounts)
}
