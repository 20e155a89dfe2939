import type pg from 'pg'
import { least } from '../domain/money.ts'
import type { Settled } from '../domain/settlement.ts'
import { tokensIn, tokensOut } from '../domain/usage.ts'
import type { Batch, SettlementRow } from '../ledger/ports.ts'
import { bytes, plain, texts } from './arrays.ts'

/** Between the JSON texts of a batch: JSON has it only as an escape. */
const SEPARATOR = '\x1e'

function drawsOf(rows: readonly SettlementRow[]): unknown[] {
  const [at, purses, leases, wants]: [number[], string[], (string | null)[], bigint[]] = [[], [], [], []]
  for (const [index, row] of rows.entries())
    for (const draw of row.draws) {
      at.push(index + 1)
      purses.push(draw.purse)
      leases.push(draw.lease)
      wants.push(least(row.actual, row.item.holdNano))
    }
  return [plain(at), texts(purses), texts(leases), plain(wants)]
}

function answersOf(rows: readonly SettlementRow[]): unknown[] {
  const kept = rows.flatMap(({ item: { answer } }, index) => (answer ? [{ at: index + 1, answer }] : []))
  return [
    plain(kept.map(({ at }) => at)),
    texts(kept.map(({ answer }) => answer.key)),
    plain(kept.map(({ answer }) => answer.status)),
    texts(kept.map(({ answer }) => JSON.stringify(answer.headers))),
    bytes(kept.map(({ answer }) => answer.body)),
  ]
}

/** Where settle_batch() is told whether a row may have been posted before. */
const AGAIN = 2

/** The arguments of settle_batch(), in the order of the ledger's migrations. */
export function encodeSettlements(rows: readonly SettlementRow[]): Batch {
  const items = rows.map((row) => row.item)
  const usages = items.map((item) => item.usage)
  const values = [
    texts([...new Set(rows.flatMap((row) => row.draws.map((draw) => draw.purse)))]),
    texts([...new Set(rows.flatMap((row) => row.undrawn))]),
    false,
    texts(items.map((item) => item.id)),
    texts(items.map((item) => item.at.toISOString())),
    texts(items.map((item) => item.accountId)),
    texts(items.map((item) => item.keyId)),
    texts(items.map((item) => item.groupId)),
    texts(items.map((item) => item.modelId)),
    texts(items.map((item) => item.endpoint)),
    plain(items.map((item) => item.stream)),
    plain(items.map((item) => item.status)),
    texts(items.map((item) => item.outcome)),
    texts(items.map((item) => item.errorCode)),
    texts(items.map((item) => item.errorText)),
    texts(items.map((item) => item.finishReason)),
    plain(usages.map(tokensIn)),
    plain(usages.map((usage) => usage.cachedInput)),
    plain(usages.map(tokensOut)),
    plain(usages.map((usage) => usage.reasoning)),
    plain(items.map((item) => item.holdNano)),
    plain(rows.map((row) => row.actual)),
    plain(items.map((item) => item.receipt?.vendorCost ?? 0n)),
    plain(items.map((item) => item.receipt !== null && !item.receipt.certainty.exact)),
    rows.map((row) => row.receipt).join(SEPARATOR),
    rows.map((row) => row.trace).join(SEPARATOR),
    plain(items.map((item) => item.ownMs)),
    plain(items.map((item) => item.firstTokenMs)),
    plain(items.map((item) => item.tookMs)),
    plain(items.map((item) => item.void)),
    ...drawsOf(rows),
    ...answersOf(rows),
  ]
  return { values, bytes: values.reduce((sum: number, value) => sum + (typeof value === 'string' ? value.length : 0), 0) }
}

const ARGUMENTS = Array.from({ length: 39 }, (_, at) => `$${at + 1}`).join()

/** Without an `id` it speaks of an account, each of whose rows was charged its price. */
interface Row {
  account_id: string
  id: string | null
  fresh: boolean
  charged_nano: string | null
  shortfall_nano: string | null
  balance_nano: string
  recall: boolean
}

const settledOf = (row: Row): Settled => ({
  id: row.id ?? '',
  fresh: row.fresh,
  charged: BigInt(row.charged_nano ?? 0),
  shortfall: BigInt(row.shortfall_nano ?? 0),
  balance: BigInt(row.balance_nano),
  recall: row.recall,
})

/**
 * Posts settlements in one statement, and so one transaction, of its own. `rows` are what the batch was made of; where it may
 * have been posted before, they are not looked at.
 */
export async function postSettlements(
  client: pg.Client | pg.Pool,
  batch: Batch,
  again: boolean,
  rows: readonly SettlementRow[] | null,
): Promise<Settled[]> {
  const { rows: told } = await client.query<Row>({
    name: 'settle',
    text: `SELECT * FROM settle_batch(${ARGUMENTS})`,
    values: batch.values.with(AGAIN, again),
  })
  if (told.some((row) => row.id !== null)) return told.map(settledOf)
  const accounts = new Map(told.map((row) => [row.account_id, settledOf(row)]))
  return (rows ?? []).flatMap(({ item, actual }) => {
    const account = accounts.get(item.accountId)
    return account ? { ...account, id: item.id, charged: actual } : []
  })
}
