import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { ID_RANDOM_BYTES, newId } from '#lib/domain/ids'
import type { Settlement } from '#lib/domain/settlement'
import { buildLedger } from '#lib/host/ledger'
import { buildAuditReport } from '#lib/ledger/audit'
import type { Committer } from '#lib/ledger/committer'
import type { Membership } from '#lib/ledger/membership'
import type { LedgerStore } from '#lib/ledger/ports'
import type { Hold, Wallet } from '#lib/ledger/wallet'
import { readAudit } from '#lib/store/ledger/audit-store'
import { PgLedgerStore } from '#lib/store/ledger/ledger-store'

const silentLog = { info() {}, warn() {}, error() {} }

export const newRequestId = (): string => newId('req', Date.now(), randomBytes(ID_RANDOM_BYTES))

/** The ledger of one process, without the process around it. Its clock can be moved. */
export interface TestLedger {
  wallet: Wallet
  committer: Committer
  membership: Membership
  store: LedgerStore
  /** Moves its monotonic clock forward, as a pause of the process would. */
  advanceClock(ms: number): void
  close(): Promise<void>
}

/** Starts a ledger on a database. It sends heartbeats only when a test asks, so by default its life is very long. */
export async function openLedger(pool: pg.Pool, url: string, lifetimeMs = 600_000): Promise<TestLedger> {
  const store = new PgLedgerStore({ pool, url })
  let clockOffsetMs = 0
  const { committer, membership, wallet } = buildLedger(store, silentLog, lifetimeMs, () => performance.now() + clockOffsetMs)
  await membership.join()
  return {
    wallet,
    committer,
    membership,
    store,
    advanceClock(ms) {
      clockOffsetMs += ms
    },
    async close() {
      await committer.drain()
      await store.close()
    },
  }
}

/** Takes a hold. Throws an error with the reason if it is refused. */
export async function holdOrThrow(
  ledger: Pick<TestLedger, 'wallet'>,
  accountId: string,
  amount: bigint,
  overrides: Partial<Parameters<Wallet['hold']>[0]> = {},
): Promise<Hold> {
  const hold = await ledger.wallet.hold({ accountId, keyId: 'key_test', budgets: [], amount, ...overrides })
  if ('refused' in hold) throw new Error(`refused: ${hold.refused}`)
  return hold
}

/** A finished request that costs `actual` nano-dollars under a hold. */
export function settlementOf(
  accountId: string,
  hold: Hold | null,
  actual: bigint,
  overrides: Partial<Settlement> = {},
): Settlement {
  const at = new Date()
  return {
    id: newRequestId(),
    at,
    accountId,
    keyId: 'key_test',
    groupId: 'grp_default',
    modelId: 'test/model',
    endpoint: 'chat.completions',
    stream: false,
    status: 200,
    outcome: 'finished',
    errorCode: null,
    errorText: null,
    finishReason: 'stop',
    usage: { input: 1n, cachedInput: 0n, cacheWrite: 0n, output: 1n, reasoning: 0n, requests: 1n },
    holdNano: hold?.amount ?? 0n,
    receipt: {
      priceId: 'prc_test',
      priceFrom: at,
      groupName: 'default',
      multiplierBp: 10_000n,
      lines: actual === 0n ? [] : [{ unit: 'request', count: 1n, price: actual * 1_000_000n, amount: actual as never }],
      total: actual as Settlement['holdNano'] as never,
      vendorCost: 0n as never,
      certainty: { exact: true },
    },
    trace: [],
    ownMs: 0,
    firstTokenMs: null,
    tookMs: 1,
    leaseId: hold?.leaseId ?? null,
    budgets: hold?.budgets ?? [],
    budgetLeases: hold?.budgetLeases ?? [],
    void: false,
    answer: null,
    ...overrides,
  }
}

/** Throws with the audit's own lines if the books do not balance. */
export async function expectBalancedBooks(pool: pg.Pool, sweepMs = 60_000): Promise<void> {
  const report = buildAuditReport(await readAudit(pool, sweepMs))
  if (!report.balanced) throw new Error(report.lines.join('\n'))
}
