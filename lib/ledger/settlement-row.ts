import { formatIsoTime } from '../domain/iso-time.ts'
import { keyPurses } from '../domain/key-purses.ts'
import type { Receipt } from '../domain/price.ts'
import type { Settlement } from '../domain/settlement.ts'
import type { SettlementRow } from './ports.ts'

/** Serialized by hand: every request has a receipt, and JSON.stringify would process the same names each time. */
function receiptJson({ priceId, priceFrom, groupName, multiplierBp, lines, total, certainty }: Receipt): string {
  const linesJson = lines.map(
    (line) =>
      `{"unit":${JSON.stringify(line.unit)},"count":"${line.count}","priceNano":"${line.price}","amountNano":"${line.amount}"}`,
  )
  return `{"priceId":${JSON.stringify(priceId)},"priceFrom":"${formatIsoTime(priceFrom)}","groupName":${JSON.stringify(groupName)},"multiplierBp":${multiplierBp},"lines":[${linesJson.join()}],"totalNano":"${total}","exact":${certainty.exact},"why":${certainty.exact ? null : JSON.stringify(certainty.why)}}`
}

/** Makes the row that the store's settle() posts. Whole numbers in JSON are written as strings. */
export function settlementRow(item: Settlement): SettlementRow {
  const { total, month } = keyPurses(item.keyId, item.at)
  return {
    item,
    actual: item.void ? 0n : (item.receipt?.total ?? 0n),
    receipt: item.receipt ? receiptJson(item.receipt) : '{}',
    trace: JSON.stringify(item.trace),
    draws: [
      { purse: item.accountId, lease: item.leaseId },
      ...item.budgets.map((purse, at) => ({ purse, lease: item.budgetLeases[at] ?? null })),
    ],
    undrawn: item.budgets.length === 2 ? [] : [total, month].filter((purse) => !item.budgets.includes(purse)),
  }
}
