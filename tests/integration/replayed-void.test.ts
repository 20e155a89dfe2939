import { expect, test } from 'vitest'
import { claimIdempotency } from '#lib/store/idempotency-store'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, holdOrThrow, newRequestId, openLedger, settlementOf } from '../support/ledger.ts'

/**
 * Makes an account, a request that has not claimed its Idempotency-Key yet, and functions that charge it and store its answer.
 */
async function start({ pool, url }: TestDatabase) {
  const ledger = await openLedger(pool, url)
  const account = await addAccount(pool, 1000n)
  const request = { accountId: account, key: 'k', keyId: 'key_test', hash: Buffer.alloc(32), owner: ledger.membership.owner }
  const id = newRequestId()
  const settle = async () => {
    const answer = { key: 'k', status: 200, headers: {}, body: Buffer.from('said') }
    const settlement = settlementOf(account, await holdOrThrow(ledger, account, 100n), 100n, { id, answer })
    await ledger.committer.post(settlement)
    return settlement
  }
  return { ledger, account, id, request, settle }
}

test.each([
  ['gives the charge back and frees the key', false, 1000n, 'claimed'],
  ['changes nothing where a repeat got the answer meanwhile', true, 900n, 'answered'],
])('a void of an answer with an Idempotency-Key %s', async (_, repeat, left, then) => {
  await using database = await createDatabase()
  const { pool } = database
  const { ledger, account, id, request, settle } = await start(database)
  const claim = (requestId: string) => claimIdempotency(pool, { ...request, requestId })
  expect(await claim(id)).toEqual({ kind: 'claimed' })
  const settlement = await settle()
  if (repeat) for (const _ of [1, 2]) expect(await claim(newRequestId())).toMatchObject({ kind: 'answered', requestId: id })
  for (const _ of [1, 2]) await ledger.committer.post({ ...settlement, void: true, answer: null, outcome: 'undelivered' })
  expect((await balanceOf(pool, account)).balance).toBe(left)
  expect((await claim(newRequestId())).kind).toBe(then)
  await expectBalancedBooks(pool)
  await ledger.close()
})

test('a repeat that finds an answer which is voided before it can keep it does not get it', async () => {
  await using database = await createDatabase()
  const { pool } = database
  const { ledger, account, id, request, settle } = await start(database)
  await claimIdempotency(pool, { ...request, requestId: id })
  const settlement = await settle()
  const voided = { ...settlement, void: true, answer: null, outcome: 'undelivered' } as const
  const voidingPool = {
    async query(text: string, values: unknown[]) {
      const found = await pool.query(text, values)
      if (text.startsWith('SELECT')) await ledger.committer.post(voided)
      return found
    },
  } as unknown as typeof pool
  expect(await claimIdempotency(voidingPool, { ...request, requestId: newRequestId() })).toEqual({ kind: 'running' })
  expect((await balanceOf(pool, account)).balance).toBe(1000n)
  await expectBalancedBooks(pool)
  await ledger.close()
})
