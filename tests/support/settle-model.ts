import { keyPurses } from '#lib/domain/key-purses'
import { maxBigInt, minBigInt } from '#lib/domain/money'
import type { Settlement } from '#lib/domain/settlement'

/** What settling reads and changes. All amounts are in nano-dollars. */
export interface Books {
  purses: Map<string, { kind: string; credit: bigint; spent: bigint; leased: bigint }>
  leases: Map<string, { purse: string; amount: bigint }>
  records: Map<string, { account: string; outcome: string; charged: bigint; shortfall: bigint }>
  /** Requests whose charge was given back. */
  reversed: Set<string>
  /** By account and key. */
  answers: Map<string, { request: string; owner: string; status: number | null }>
}

/** The charge of a request: once, and nothing if its Idempotency-Key belongs to another request or nobody got its answer. */
function chargeable(books: Books, item: Settlement): { item: Settlement; actual: bigint } {
  const claim = item.answer === null ? null : books.answers.get(`${item.accountId} ${item.answer.key}`)
  if (item.answer !== null && claim?.request !== item.id)
    return { item: { ...item, outcome: 'undelivered', answer: null }, actual: 0n }
  return { item, actual: item.void ? 0n : (item.receipt?.total ?? 0n) }
}

/** Draws an amount from a lease of a purse, as far as the lease has it. Returns what was drawn. */
function draw(books: Books, purse: string, lease: string | null, want: bigint): bigint {
  const slice = lease === null ? undefined : books.leases.get(lease)
  const drawn = maxBigInt(0n, minBigInt(want, slice?.amount ?? 0n))
  const from = books.purses.get(purse)
  if (slice) slice.amount -= drawn
  if (from) from.leased -= drawn
  return drawn
}

/**
 * The rules of settling (lib/ledger/README.md), one request after the other, without regard to speed. From free money, a batch's
 * requests can take only what was free before the batch.
 */
export function settleModel(before: Books, batch: readonly Settlement[]) {
  const books = structuredClone(before)
  const free = new Map([...books.purses].map(([id, purse]) => [id, purse.credit - purse.spent - purse.leased]))
  let undrawn = 0
  // If a batch has a charge and its void, the charge comes first.
  for (const posted of batch) {
    const first = batch.find(({ id, void: empty }) => id === posted.id && !empty) ?? posted
    if (first !== posted || books.records.has(posted.id)) continue
    const { item, actual } = chargeable(before, posted)
    const want = minBigInt(actual, item.holdNano)
    const leased = draw(books, item.accountId, item.leaseId, want)
    const left = free.get(item.accountId) ?? 0n
    const charged = leased + minBigInt(actual - leased, maxBigInt(0n, left))
    free.set(item.accountId, left - (actual - leased))
    const { total, month } = keyPurses(item.keyId, item.at)
    for (const [at, purse] of item.budgets.entries()) draw(books, purse, item.budgetLeases[at] ?? null, want)
    for (const id of new Set([item.accountId, total, month])) {
      const purse = books.purses.get(id)
      if (purse) purse.spent += charged
      if (purse && id !== item.accountId && !item.budgets.includes(id)) undrawn++
    }
    books.records.set(item.id, { account: item.accountId, outcome: item.outcome, charged, shortfall: actual - charged })
    const claim = item.answer === null ? undefined : books.answers.get(`${item.accountId} ${item.answer.key}`)
    if (claim && item.answer) claim.status = item.answer.status
  }
  for (const { id, void: isVoid } of batch) if (isVoid) voidCharge(books, id)
  return {
    books,
    undrawn,
    balanceOf(account: string): bigint {
      const purse = books.purses.get(account)
      return (purse?.credit ?? 0n) - (purse?.spent ?? 0n)
    },
  }
}

/** Gives a charge back, once, and forgets its answer, unless the answer was replayed. */
function voidCharge(books: Books, id: string): void {
  const record = books.records.get(id)
  const claims = [...books.answers].filter(([at, claim]) => claim.request === id && at.startsWith(`${record?.account} `))
  if (!record || claims.some(([, claim]) => claim.owner === 'replayed')) return
  for (const [at] of claims) books.answers.delete(at)
  const purse = books.purses.get(record.account)
  if (record.charged === 0n || books.reversed.has(id) || !purse) return
  books.reversed.add(id)
  purse.credit += record.charged
}
