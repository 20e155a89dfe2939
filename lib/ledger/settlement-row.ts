import { keyPurses } from '../domain/key-purses.ts'
import type { Receipt } from '../domain/price.ts'
import type { Settlement } from '../domain/settlement.ts'
import type { SettlementRow } from './ports.ts'

function receiptJson(receipt: Receipt): object {
  return {
    priceId: receipt.priceId,
    priceFrom: receipt.priceFrom.toISOString(),
    groupName: receipt.groupName,
    multiplierBp: Number(receipt.multiplierBp),
    lines: receipt.lines.map((line) => ({
      unit: line.unit,
      count: String(line.count),
      priceNano: String(line.price),
      amountNano: String(line.amount),
    })),
    totalNano: String(receipt.total),
    exact: receipt.certainty.exact,
    why: receipt.certainty.exact ? null : receipt.certainty.why,
  }
}

/** Makes the row that the store's settle() posts. Whole numbers in JSON go as text. */
export function settlementRow(item: Settlement): SettlementRow {
  const { total, month } = keyPurses(item.keyId, item.at)
  return {
    item,
    actual: item.void ? 0n : (item.receipt?.total ?? 0n),
    receipt: item.receipt ? JSON.stringify(receiptJson(item.receipt)) : '{}',
    trace: JSON.stringify(item.trace),
    draws: [
      { purse: item.accountId, lease: item.leaseId },
      ...item.budgets.map((purse, at) => ({ purse, lease: item.budgetLeases[at] ?? null })),
    ],
    undrawn: item.budgets.length === 2 ? [] : [total, month].filter((purse) => !item.budgets.includes(purse)),
  }
}
