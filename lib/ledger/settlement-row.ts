import type { Receipt } from '../domain/price.ts'
import type { Settlement } from '../domain/settlement.ts'

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

/** The row of type `settlement` that the database's settle() reads. Whole numbers go as text. */
export function settlementRow(item: Settlement): object {
  const { usage, receipt } = item
  return {
    id: item.id,
    at: item.at.toISOString(),
    account_id: item.accountId,
    key_id: item.keyId,
    group_id: item.groupId,
    model_id: item.modelId,
    endpoint: item.endpoint,
    stream: item.stream,
    status: item.status,
    outcome: item.outcome,
    error_code: item.errorCode,
    error_text: item.errorText,
    finish_reason: item.finishReason,
    input_units: String(usage.input + usage.cachedInput + usage.cacheWrite),
    cached_units: String(usage.cachedInput),
    output_units: String(usage.output),
    reasoning_units: String(usage.reasoning),
    hold_nano: String(item.holdNano),
    actual_nano: String(item.void ? 0n : (receipt?.total ?? 0n)),
    vendor_cost_nano: String(receipt?.vendorCost ?? 0n),
    estimated: receipt ? !receipt.certainty.exact : false,
    receipt: receipt ? receiptJson(receipt) : {},
    trace: item.trace,
    own_ms: item.ownMs,
    first_token_ms: item.firstTokenMs,
    took_ms: item.tookMs,
    lease_id: item.leaseId,
    budgets: item.budgets,
    budget_leases: item.budgetLeases,
    void: item.void,
    idem_key: item.answer?.key ?? null,
    idem_status: item.answer?.status ?? null,
    idem_headers: item.answer?.headers ?? null,
    idem_body: item.answer ? Buffer.from(item.answer.body).toString('base64') : null,
  }
}
