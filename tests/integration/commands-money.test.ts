// The commands that give money away, called as from a shell: which numbers they accept, and that they notice a repeat.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCommand } from '../support/command.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())

const run = (command: string, args: string[]) =>
  runCommand(command, args, { DATABASE_URL: world.url, SECRET_KEY: '07'.repeat(32) })
const grants = async (accountId: string) =>
  (await world.pool.query('select amount_nano from entry where account_id = $1 order by created_at', [accountId])).rows.map(
    (row) => row.amount_nano,
  )

it('grant books to the nano-dollar, and says where the very same was given within a day before', async () => {
  const user = await world.newUser()
  const grant = (amount: string, reason: string) => run('grant', [user.email, amount, reason])
  const oldGrant = {
    id: 'ent_old',
    accountId: user.accountId,
    kind: 'grant',
    amountNano: 5_000_000_000n,
    actor: 'command line',
  } as const
  await world.console.ports.purses.credit({ ...oldGrant, reason: 'Each week', at: new Date(Date.now() - 25 * 3_600_000) })
  expect(await grant('5', 'Each week')).toMatchObject({ code: 0, errors: '' })
  const firstResult = await grant('25.000000001', 'Welcome')
  expect(firstResult).toEqual({
    code: 0,
    errors: '',
    out: `${user.email} was granted 25.000000001. The balance is now 35.000000001.\n`,
  })
  const repeatResult = await grant('25.000000001', 'Welcome')
  expect(repeatResult.code).toBe(0)
  expect(repeatResult.errors).toMatch(
    /^An identical grant was made at \d{4}-\d\d-\d\dT[\d:.]+Z\. If this one is a repeat, deduct it .*\/acc_\w+\n$/,
  )
  expect(await grants(user.accountId)).toEqual(['5000000000', '5000000000', '25000000001', '25000000001'])
})

it('grant gives to an owner too, because whoever runs it has the database itself', async () => {
  const owner = await world.newUser('owner')
  expect(await run('grant', [owner.email, '5', 'Welcome'])).toMatchObject({ code: 0, errors: '' })
  expect(await grants(owner.accountId)).toEqual(['5000000000'])
})

it.each(['', '  ', 'x', '\u200b\u200b\u200b', 'a\nb c'])('grant takes no reason %j, which nobody could read', async (reason) => {
  const user = await world.newUser()
  expect(await run('grant', [user.email, '5', reason])).toMatchObject({
    code: 1,
    out: '',
    errors: expect.stringMatching(/^REASON: \w/),
  })
  expect(await grants(user.accountId)).toEqual([])
})

it.each(['0x10', ' 5 ', '5.0000000001'])('neither grant nor codes takes the amount %j', async (amount) => {
  const usageError = { code: 1, out: '', errors: expect.stringMatching(/^Usage/) }
  expect(await run('grant', ['nobody@example.com', amount, 'Welcome'])).toMatchObject(usageError)
  expect(await run('codes', ['mint', amount, '2'])).toMatchObject(usageError)
})

it.each(['0x10', '1e1', ' 2'])('codes makes none where the count is %j', async (count) => {
  expect(await run('codes', ['mint', '5', count])).toMatchObject({ code: 1, out: '', errors: expect.stringMatching(/^Usage/) })
})

it('codes makes as many as its digits say, and none of the refused ones', async () => {
  const { code, out } = await run('codes', ['mint', '0.000000001', '12', 'Meetup'])
  expect(code).toBe(0)
  expect(out.trim().split('\n')).toHaveLength(12)
  const { rows } = await world.pool.query('select count(*)::int, min(amount_nano) as nano from redemption_code')
  expect(rows).toEqual([{ count: 12, nano: '1' }])
})

it('codes says where such codes were made within a day before, and not of others', async () => {
  const mintCodes = (amount: string, note: string, count = '2') => run('codes', ['mint', amount, count, note])
  expect((await mintCodes('7', 'Berlin')).errors).not.toContain('repeat')
  expect((await mintCodes('7', 'Paris', '120')).errors).not.toContain('repeat')
  const repeatResult = await mintCodes('7.00', 'Berlin')
  expect([repeatResult.code, repeatResult.out.trim().split('\n').length]).toEqual([0, 2])
  expect(repeatResult.errors).toMatch(
    /^2 codes worth 7 each.*\nCodes of the same amount and note were created at \S+Z\. If these/,
  )
  await world.pool.query("update redemption_code set created_at = created_at - interval '25 hours'")
  expect((await mintCodes('7', 'Berlin')).errors).not.toContain('repeat')
})

it('payments without the keys of Stripe names the settings that it wants', async () => {
  expect(await run('payments', [])).toMatchObject({
    code: 1,
    out: '',
    errors: expect.stringMatching(/Set STRIPE_SECRET_KEY and/),
  })
})
