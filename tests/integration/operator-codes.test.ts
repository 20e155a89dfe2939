import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { codePage, type MintResult, mintResult } from '#lib/contracts/operator-accounts'
import type { SignedInUser } from '#lib/services/ports'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type ConsoleWorld, openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller } from './operator-world.ts'

const routes = {
  codes: await import('#app/api/operator/codes/route'),
  'codes/[id]': await import('#app/api/operator/codes/[id]/route'),
  'codes/[id]/minting': await import('#app/api/operator/codes/[id]/minting/route'),
}
const { POST: redeemRoute } = await import('#app/api/billing/redeem/route')

const UNIT = 1_000_000_000n
let world: ConsoleWorld
let ada: SignedInUser
let call: ReturnType<typeof createCaller>
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  ada = await world.newUser('operator')
  call = createCaller(world, routes)
})
afterAll(() => world.close())

const mintBody = (count: number, more: object = {}) => ({
  token: randomUUID(),
  amountNano: String(5n * UNIT),
  count,
  note: '',
  ...more,
})
async function mint(count: number, more: object = {}): Promise<MintResult> {
  const answer = await call('POST', 'codes', ada, mintBody(count, more))
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return mintResult.parse(answer.body)
}
const list = async (query = '') => codePage.parse((await call('GET', `codes?${query}`, ada)).body)
const redeem = (user: SignedInUser, code: string) => world.call(redeemRoute, { method: 'POST', as: user, body: { code } })
const balance = async (user: SignedInUser) => (await world.console.ports.purses.sums(user.accountId)).balanceNano
const rowOf = async (code: string) => (await list('limit=200')).rows.find(({ hint }) => hint.slice(0, 5) === code.slice(0, 5))

describe('redemption codes', () => {
  it('are shown once, kept as hashes, and credit who redeems them', async () => {
    const { codes } = await mint(3, { note: 'Meetup' })
    expect(new Set(codes).size).toBe(3)
    const kept = JSON.stringify([
      (await world.pool.query('select * from redemption_code')).rows,
      (await world.pool.query('select * from audit_log')).rows,
      await list(),
    ])
    for (const code of codes) {
      expect(kept).not.toContain(code)
      expect(kept).not.toContain(code.replaceAll('-', ''))
    }
    const user = await world.newUser()
    const [first = ''] = codes
    expect((await redeem(user, first)).status).toBe(200)
    expect(await balance(user)).toBe(5n * UNIT)
    expect(await rowOf(first)).toMatchObject({
      state: 'redeemed',
      note: 'Meetup',
      amountNano: String(5n * UNIT),
      redeemedBy: { id: user.accountId, email: user.email },
    })
    const log = await world.pool.query(`select verb, actor, after from audit_log where target = 'codes'`)
    expect(log.rows).toEqual([{ verb: 'codes.mint', actor: ada.email, after: { count: 3, amount: '5', note: 'Meetup' } }])
  })

  it('are listed from the newest or from one of them', async () => {
    await mint(2)
    const { rows, next } = await list('limit=1')
    expect(next).toBe(rows[0]?.id)
    expect((await list(`limit=1&before=${next}`)).rows[0]?.id).not.toBe(next)
  })

  it('are minted once, however often the press of the button arrives', async () => {
    const body = mintBody(2, { note: 'Once' })
    const answers = await Promise.all([1, 2, 3].map(() => call('POST', 'codes', ada, body)))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    expect((await list('limit=200')).rows.filter(({ note }) => note === 'Once')).toHaveLength(2)
  })

  it('are listed newest first, page by page and by state', async () => {
    const { codes } = await mint(5, { note: 'Paged' })
    const seen: string[] = []
    let before: string | null = ''
    while (before !== null) {
      const page = await list(`limit=2${before === '' ? '' : `&before=${before}`}`)
      seen.push(...page.rows.map(({ id }) => id))
      before = page.next
    }
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual((await list('limit=200')).rows.map(({ id }) => id))
    const open = (await list('state=open&limit=200')).rows
    expect(open.filter(({ note }) => note === 'Paged')).toHaveLength(codes.length)
    expect(new Set(open.map(({ state }) => state))).toEqual(new Set(['open']))
    expect(new Set((await list('state=redeemed')).rows.map(({ state }) => state))).toEqual(new Set(['redeemed']))
  })

  it('that are withdrawn are good no more; one that was redeemed stays so', async () => {
    const { codes } = await mint(2)
    const [gone = '', spent = ''] = codes
    const [user, ids] = [await world.newUser(), [(await rowOf(gone))?.id, (await rowOf(spent))?.id]]
    expect((await call('DELETE', `codes/${ids[0]}`, ada)).status).toBe(200)
    expect((await redeem(user, gone)).status).toBe(400)
    expect((await call('DELETE', `codes/${ids[0]}`, ada)).status).toBe(409)
    expect(await rowOf(gone)).toMatchObject({ state: 'withdrawn', redeemedBy: null })
    expect((await redeem(user, spent)).status).toBe(200)
    expect((await call('DELETE', `codes/${ids[1]}`, ada)).status).toBe(409)
    expect((await call('DELETE', 'codes/code_none', ada)).status).toBe(404)
    expect(await balance(user)).toBe(5n * UNIT)
    expect((await list('state=withdrawn')).rows.map(({ id }) => id)).toEqual([ids[0]])
  })

  it('that were minted together are withdrawn together, but for those that were redeemed, and no others', async () => {
    const [{ codes }, other] = [await mint(4), await mint(1)]
    const [first = '', spent = '', ...rest] = codes
    const user = await world.newUser()
    const id = (await rowOf(first))?.id ?? ''
    const others = async (code: string) => (await rowOf(code))?.hasOthers
    expect([await others(first), await others(other.codes[0] ?? '')]).toEqual([true, false])
    expect((await redeem(user, spent)).status).toBe(200)
    const answers = await Promise.all([1, 2].map(() => call('DELETE', `codes/${id}/minting`, ada)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(answers.find(({ status }) => status === 200)?.body).toEqual({ count: 3 })
    for (const code of [first, ...rest]) {
      expect((await redeem(user, code)).status).toBe(400)
      expect(await rowOf(code)).toMatchObject({ state: 'withdrawn', hasOthers: false })
    }
    expect(await rowOf(spent)).toMatchObject({ state: 'redeemed' })
    expect((await redeem(user, other.codes[0] ?? '')).status).toBe(200)
    expect((await call('DELETE', 'codes/code_none/minting', ada)).status).toBe(404)
    const { rows } = await world.pool.query(`select after from audit_log where verb = 'codes.withdraw' and after ? 'count'`)
    expect(rows).toEqual([{ after: { count: 3, amount: '5' } }])
  })

  it('are either withdrawn or redeemed when both happen at once', async () => {
    const { codes } = await mint(6)
    const user = await world.newUser()
    let redeemed = 0n
    for (const code of codes) {
      const id = (await rowOf(code))?.id ?? ''
      const [taken, withdrawn] = await Promise.all([redeem(user, code), call('DELETE', `codes/${id}`, ada)])
      expect([taken.status === 200, withdrawn.status === 200].filter(Boolean)).toHaveLength(1)
      if (taken.status === 200) redeemed++
    }
    expect(await balance(user)).toBe(redeemed * 5n * UNIT)
  })

  it('give nothing to who minted them, nor to an owner, unless an owner minted them', async () => {
    const owner = await world.newUser('owner')
    const user = await world.newUser()
    const [{ codes }, byOwner] = [await mint(2), await call('POST', 'codes', owner, mintBody(2))]
    const [first = '', second = ''] = codes
    for (const [who, reason] of [
      [ada, 'somebody of this account'],
      [owner, 'who is not an owner'],
    ] as const) {
      const answer = await redeem(who, first)
      expect(answer.status).toBe(403)
      expect(await answer.json()).toMatchObject({
        error: { code: 'not_allowed', message: expect.stringContaining(reason) },
      })
      expect(await balance(who)).toBe(0n)
    }
    // The code is still valid for others.
    expect((await redeem(user, first)).status).toBe(200)
    const [forOwner = '', forAda = ''] = mintResult.parse(byOwner.body).codes
    expect((await redeem(owner, forOwner)).status).toBe(200)
    expect((await redeem(ada, forAda)).status).toBe(200)
    // The role of who minted it is looked up when it is redeemed.
    await world.pool.query("update app_user set role = 'owner' where id = $1", [ada.userId])
    expect((await redeem(ada, second)).status).toBe(200)
    await world.pool.query("update app_user set role = 'operator' where id = $1", [ada.userId])
  })

  it.each([
    [{ amountNano: '0' }, 'amountNano'],
    [{ count: 0 }, 'count'],
    [{ count: 10_001 }, 'count'],
    [{ token: 'again' }, 'token'],
    [{ note: 'x'.repeat(301) }, 'note'],
  ])('%j is refused, and the field is named', async (more, field) => {
    const answer = await call('POST', 'codes', ada, mintBody(1, more))
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input', field } } })
  })

  it('leave books that add up', () => expectBalancedBooks(world.pool))
})
