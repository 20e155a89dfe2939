import { formatIsoTime } from '../../domain/iso-time.ts'
import { HOUR_MS } from '../../domain/time-units.ts'
import { tokensIn, tokensOut } from '../../domain/usage.ts'
import type { SettlementRow } from '../../ledger/ports.ts'
import { encodeTextArray, encodeUnquotedArray } from '../encode-arrays.ts'

interface Hour {
  accountId: string
  hourMs: number
  keyId: string
  modelId: string
  requests: number
  errors: number
  input: bigint
  cached: bigint
  output: bigint
  charges: bigint
  vendorCost: bigint
  firstTokenMs: number
  firstTokens: number
  tookMs: number
  ownMs: number
}

const newHour = (accountId: string, hourMs: number, keyId: string, modelId: string): Hour => ({
  accountId,
  hourMs,
  keyId,
  modelId,
  requests: 0,
  errors: 0,
  input: 0n,
  cached: 0n,
  output: 0n,
  charges: 0n,
  vendorCost: 0n,
  firstTokenMs: 0,
  firstTokens: 0,
  tookMs: 0,
  ownMs: 0,
})

function addTo(hour: Hour, { item, actual }: SettlementRow): void {
  hour.requests++
  if (item.status >= 400) hour.errors++
  hour.input += tokensIn(item.usage)
  hour.cached += item.usage.cachedInput
  hour.output += tokensOut(item.usage)
  hour.charges += actual
  hour.vendorCost += item.receipt?.vendorCost ?? 0n
  if (item.firstTokenMs !== null) {
    hour.firstTokenMs += item.firstTokenMs
    hour.firstTokens++
  }
  hour.tookMs += item.tookMs
  hour.ownMs += item.ownMs
}

/** What a batch adds to the hours, with rows of the same account, key, model and hour combined. */
function hoursOf(rows: readonly SettlementRow[]): Hour[] {
  const hours = new Map<string, Hour>()
  let last = newHour('', 0, '', '')
  for (const row of rows) {
    const { accountId, keyId, modelId, at } = row.item
    const hourMs = at.getTime() - (at.getTime() % HOUR_MS)
    // Nearly always it is the same as for the previous row.
    if (last.keyId !== keyId || last.modelId !== modelId || last.hourMs !== hourMs || last.accountId !== accountId) {
      const name: string = JSON.stringify([accountId, keyId, modelId, hourMs])
      last = hours.get(name) ?? newHour(accountId, hourMs, keyId, modelId)
      hours.set(name, last)
    }
    addTo(last, row)
  }
  return [...hours.values()]
}

/**
 * The arguments of settle_at_once(): what a batch changes besides its records, added up, if each row is charged its price out
 * of its lease. Null if a row cannot be.
 */
export function settlementSums(rows: readonly SettlementRow[], undrawn: string): string[] | null {
  const purses = new Map<string, bigint>()
  const leases = new Map<string, bigint>()
  for (const { item, actual, draws } of rows) {
    if (actual > item.holdNano || item.void || item.answer !== null) return null
    for (const { purse, lease } of draws) {
      purses.set(purse, (purses.get(purse) ?? 0n) + actual)
      if (actual === 0n) continue
      if (lease === null) return null
      leases.set(lease, (leases.get(lease) ?? 0n) + actual)
    }
  }
  const hours = hoursOf(rows)
  return [
    encodeTextArray([...purses.keys()]),
    encodeUnquotedArray([...purses.values()]),
    undrawn,
    encodeTextArray([...leases.keys()]),
    encodeUnquotedArray([...leases.values()]),
    encodeTextArray(hours.map(({ accountId }) => accountId)),
    encodeTextArray(hours.map(({ hourMs }) => formatIsoTime(new Date(hourMs)))),
    encodeTextArray(hours.map(({ keyId }) => keyId)),
    encodeTextArray(hours.map(({ modelId }) => modelId)),
    encodeUnquotedArray(hours.map(({ requests }) => requests)),
    encodeUnquotedArray(hours.map(({ errors }) => errors)),
    encodeUnquotedArray(hours.map(({ input }) => input)),
    encodeUnquotedArray(hours.map(({ cached }) => cached)),
    encodeUnquotedArray(hours.map(({ output }) => output)),
    encodeUnquotedArray(hours.map(({ charges }) => charges)),
    encodeUnquotedArray(hours.map(({ vendorCost }) => vendorCost)),
    encodeUnquotedArray(hours.map(({ firstTokenMs }) => firstTokenMs)),
    encodeUnquotedArray(hours.map(({ firstTokens }) => firstTokens)),
    encodeUnquotedArray(hours.map(({ tookMs }) => tookMs)),
    encodeUnquotedArray(hours.map(({ ownMs }) => ownMs)),
  ]
}
