import { expect, test } from 'vitest'
import type { Settlement } from '#lib/domain/settlement'
import { settlementRow } from '#lib/ledger/settlement-row'
import { PgLedgerStore } from '#lib/store/ledger/ledger-store'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey } from '../support/fixtures.ts'
import { expectBalancedBooks, settlementOf } from '../support/ledger.ts'
import { Random, randomSeed } from '../support/random.ts'
import { type Books, settleModel } from '../support/settle-model.ts'

const seed = process.env.FUZZ_SEED ?? randomSeed()
const ROUNDS = 150
const DAY = new Date('2026-11-30T23:30:00Z')
const NEXT_DAY = new Date('2026-12-01T00:30:00Z')

/** The books as the database has them. */
async function readBooks(query: (sql: string) => Promise<{ rows: Record<string, string>[] }>): Promise<Books> {
  const purses = await query('SELECT id, kind, credit, spent, leased FROM purse')
  const leases = await query('SELECT id, purse_id, amount FROM lease')
  const records = await query('SELECT id, account_id, outcome, charged_nano, shortfall_nano FROM usage_record')
  const entries = await query(`SELECT id FROM entry WHERE kind = 'reversal'`)
  const answers = await query('SELECT account_id, key, request_id, owner, status FROM idempotency')
  return {
    purses: new Map(
      purses.rows.map((row) => [
        row.id as string,
        {
          kind: row.kind as string,
          credit: BigInt(row.credit as string),
          spent: BigInt(row.spent as string),
          leased: BigInt(row.leased as string),
        },
      ]),
    ),
    leases: new Map(
      leases.rows.map((row) => [row.id as string, { purse: row.purse_id as string, amount: BigInt(row.amount as string) }]),
    ),
    records: new Map(
      records.rows.map((row) => [
        row.id as string,
        {
          account: row.account_id as string,
          outcome: row.outcome as string,
          charged: BigInt(row.charged_nano as string),
          shortfall: BigInt(row.shortfall_nano as string),
        },
      ]),
    ),
    reversed: new Set(entries.rows.map((row) => (row.id as string).slice('rev_'.length))),
    answers: new Map(
      answers.rows.map((row) => [
        `${row.account_id} ${row.key}`,
        {
          request: row.request_id as string,
          owner: row.owner as string,
          status: row.status === null ? null : Number(row.status),
        },
      ]),
    ),
  }
}

/** The same books, independent of the order of their rows. */
const sorted = (books: Books) =>
  Object.fromEntries(
    Object.entries(books).map(([name, part]) => [
      name,
      [...part].sort((a, b) => (String(a[0] ?? a) < String(b[0] ?? b) ? -1 : 1)),
    ]),
  )

test(`random batches are settled as the rules say (FUZZ_SEED=${seed})`, async () => {
  await using database = await createDatabase()
  const { pool } = database
  const random = new Random(seed)
  const store = new PgLedgerStore({ pool, url: database.url })
  const accounts = await Promise.all([20_000n, 3_000n, 200n, 0n].map((balance) => addAccount(pool, balance)))
  // The third key has no limit: its requests draw on their account alone.
  const keys = accounts.flatMap((account) =>
    ['a', 'b', 'c'].map((key) => ({ account, key: `key_${account}_${key}`, limit: key === 'c' ? null : 2_000n })),
  )
  for (const { account, key, limit } of keys)
    await addKey(pool, account, { id: key, ...(limit === null ? {} : { limitTotalNano: limit, limitMonthNano: limit }) })
  const owners = ['p1', 'p2']
  for (const owner of owners) await store.register(owner, 30_000)
  let seq = 0n
  const query = (sql: string) => pool.query<Record<string, string>>(sql)
  const posted: Settlement[] = []
  const seen = { plain: 0, single: 0, shortfalls: 0, repeats: 0, reversed: 0, undrawn: 0 }

  /** Lends, takes back, and makes the purses of limits, some of them after requests that count against them began. */
  const changeRandomLease = async (): Promise<void> => {
    const { account, key, limit } = random.pick(keys)
    const owner = random.pick(owners)
    const kind = limit === null ? 'account' : random.pick(['account', 'total', 'month'] as const)
    const purseId = kind === 'account' ? account : `${key}:${kind === 'total' ? 'total' : '2026-11'}`
    const monthStart = kind === 'month' ? new Date('2026-11-01T00:00:00Z') : null
    const budget = limit === null || kind === 'account' ? null : { keyId: key, limit, monthStart }
    const need = BigInt(random.integer(1, 400))
    seq++
    await store.grow({ owner, purseId, accountId: account, budget, seq, need, want: need, since: null })
    if (random.chance(0.2)) await store.returnMoney(owner, purseId, ++seq, need / 2n)
  }

  const request = async (books: Books): Promise<Settlement> => {
    const { account, key } = random.pick(keys)
    const at = random.chance(0.8) ? DAY : NEXT_DAY
    const hold = BigInt(random.integer(0, 120))
    const actual = random.pickWeighted([
      [6, BigInt(random.integer(0, Number(hold)))],
      [1, hold],
      [1, hold + BigInt(random.integer(1, 80))],
    ] as const)
    const owner = random.pickWeighted([
      [8, random.pick(owners)],
      [1, 'swept'],
    ] as const)
    const limits = [`${key}:total`, `${key}:${at.toISOString().slice(0, 7)}`].filter((id) => books.purses.has(id))
    const budgets = random.chance(0.8) ? limits : limits.filter(() => random.chance(0.5))
    const item = settlementOf(account, null, actual, {
      at,
      keyId: key,
      holdNano: hold,
      leaseId: random.chance(0.95) ? `${owner}/${account}` : null,
      budgets,
      budgetLeases: budgets.map((id) => `${owner}/${id}`),
    })
    if (!random.chance(0.25)) return item
    const answer = { key: `idem_${item.id}`, status: 200, headers: {}, body: Buffer.from('"\\{},') }
    await pool.query(
      `INSERT INTO idempotency (account_id, key, key_id, hash, request_id, owner, created_at) VALUES ($1, $2, $3, '', $4, 'p', now())`,
      [account, answer.key, key, random.chance(0.85) ? item.id : 'req_other'],
    )
    return { ...item, answer }
  }

  const voidOf = (item: Settlement): Settlement => ({ ...item, void: true, outcome: 'undelivered', answer: null })

  for (let round = 0; round < ROUNDS; round++) {
    for (let times = random.integer(0, 4); times > 0; times--) await changeRandomLease()
    if (random.chance(0.1))
      await pool.query(`UPDATE idempotency SET owner = 'replayed' WHERE status IS NOT NULL AND random() < 0.5`)
    const before = await readBooks(query)
    const batch: Settlement[] = []
    // Leases cover half of the batches, as nearly all in production: the function's fast path.
    const calm = random.chance(0.5)
    const left = new Map([...before.leases].map(([id, lease]) => [id, lease.amount]))
    // Most batches of a quiet gateway are a single request, which the fast path settles in a way of its own.
    const most = calm && random.chance(0.5) ? 1 : Number.POSITIVE_INFINITY
    for (let tries = random.integer(1, 12) * (calm ? 4 : 1); tries > 0 && batch.length < most; tries--) {
      const old = [...posted, ...batch]
      if (!calm && old.length > 0 && random.chance(0.2)) {
        batch.push(random.chance(0.5) ? random.pick(old) : voidOf(random.pick(old)))
        continue
      }
      const item = await request(before)
      const actual = item.receipt?.total ?? 0n
      const leases = [item.leaseId ?? '', ...item.budgetLeases]
      if (calm && (actual > item.holdNano || leases.some((id) => (left.get(id) ?? 0n) < actual))) continue
      for (const id of leases) left.set(id, (left.get(id) ?? 0n) - actual)
      batch.push(item)
    }
    if (batch.length === 0) continue
    const books = await readBooks(query)
    const model = settleModel(books, batch)
    const rows = batch.map(settlementRow)
    const repeats = new Set(batch.map((item) => item.id)).size < batch.length || batch.some((item) => books.records.has(item.id))
    const voids = batch.some((item) => item.void)
    if (repeats && !voids && !batch.some((item, at) => batch.findIndex(({ id }) => id === item.id) < at))
      // A repeat that is not announced as one fails the batch, and changes nothing.
      await expect(store.settle(store.encode(rows), false, rows)).rejects.toMatchObject({ code: '23505' })
    const mayBePosted = repeats || voids || random.chance(0.2)
    const answers = await store.settle(store.encode(rows), mayBePosted, rows)

    expect(sorted(await readBooks(query)), `round ${round}`).toEqual(sorted(model.books))
    for (const item of batch) {
      const record = model.books.records.get(item.id)
      const itemAnswers = answers.filter(({ id }) => id === item.id)
      expect(itemAnswers[0], `round ${round}`).toMatchObject({ charged: record?.charged, shortfall: record?.shortfall })
      expect(itemAnswers.some(({ fresh }) => fresh)).toBe(!books.records.has(item.id))
      expect(itemAnswers[0]?.balance).toBe(model.balanceOf(item.accountId))
    }
    posted.push(...batch.filter((item) => !item.void))
    if (calm && !mayBePosted) seen[model.undrawn > 0 ? 'undrawn' : 'plain']++
    const [only] = batch
    if (calm && !mayBePosted && batch.length === 1 && only?.answer === null && only.keyId.endsWith('_c')) seen.single++
    if (repeats) seen.repeats++
    await expectBalancedBooks(pool)
  }
  const end = await readBooks(query)
  seen.shortfalls = [...end.records.values()].filter((record) => record.shortfall > 0n).length
  seen.reversed = end.reversed.size
  // A run that lacks one of them would prove little.
  for (const [name, count] of Object.entries(seen)) expect(count, name).toBeGreaterThan(0)
  await store.close()
})
