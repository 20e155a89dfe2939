import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { deductFromAccount } from '#lib/services/operator/change-credit'
import { revokeAccountKey } from '#lib/services/operator/revoke-account-key'
import { resumeAccount, suspendAccount } from '#lib/services/operator/suspend-account'
import type { ConsolePorts, SignedInUser } from '#lib/services/ports'
import { createConsoleStore } from '#lib/store/console/console-store'
import { createPrisma, type Prisma } from '#lib/store/prisma'
import { type ApiWorld, BALANCE, openApiWorld } from '../fakes/api-world.ts'
import { chatAnswer, sendJson, usageOf } from '../fakes/vendor.ts'
import { balanceOf } from '../support/fixtures.ts'

// A gateway that serves, and the operator's verbs on the same database: the gateway must notice what the operator changes.
let world: ApiWorld
let prisma: Prisma
let ctx: ConsolePorts & { user: SignedInUser }
beforeAll(async () => {
  world = await openApiWorld()
  world.vendor.answer((call) => sendJson(call, chatAnswer('x', usageOf(10, 5))))
  prisma = createPrisma(world.pool)
  const user = { userId: 'usr_operator', email: 'operator@example.com', role: 'operator' }
  ctx = { ...createConsoleStore({ pool: world.pool, prisma }), clock: { now: () => new Date() }, user } as unknown as typeof ctx
})
afterAll(async () => {
  await prisma.$disconnect()
  await world[Symbol.asyncDispose]()
})

const small = { max_tokens: 100 }
const statusOf = async (secret: string) => (await world.chat(secret, small)).status
/** Everywhere within a second, and half a second more for a busy machine. */
const pollOptions = { timeout: 1500, interval: 50 }

test('calls of a suspended account are refused within a second, and taken again when it is taken up', async () => {
  const { accountId, secret } = await world.holder()
  expect(await statusOf(secret)).toBe(200)
  await suspendAccount({ ctx, input: { id: accountId, reason: 'Sells our answers' } })
  await expect.poll(() => statusOf(secret), pollOptions).toBe(429)
  const refused = await world.chat(secret, small)
  expect(refused.text).toContain('suspended')
  expect(refused.text).not.toContain('Sells our answers')
  await resumeAccount({ ctx, input: { id: accountId } })
  await expect.poll(() => statusOf(secret), pollOptions).toBe(200)
})

test('a key that an operator revokes is refused within a second', async () => {
  const { accountId, keyId, secret } = await world.holder()
  expect(await statusOf(secret)).toBe(200)
  await revokeAccountKey({ ctx, input: { id: accountId, keyId } })
  await expect.poll(() => statusOf(secret), pollOptions).toBe(401)
})

test('a deduction takes back what a gateway has leased and does not use, and never goes below zero', async () => {
  const holder = await world.holder()
  expect(await statusOf(holder.secret)).toBe(200)
  const { balance, leased } = await balanceOf(world.pool, holder.accountId)
  expect(leased > 0n, 'the gateway holds some of it').toBe(true)
  const take = (amountNano: bigint) =>
    deductFromAccount({
      ctx,
      input: { id: holder.accountId, token: randomUUID(), amountNano: String(amountNano), reason: 'All' },
    })
  await expect(take(balance + 1n)).rejects.toMatchObject({ code: 'invalid_input', field: 'amountNano' })
  expect(await take(balance)).toMatchObject({ balanceNano: '0' })
  expect(balance < BALANCE).toBe(true)
  expect(await statusOf(holder.secret)).toBe(429)
  expect((await balanceOf(world.pool, holder.accountId)).balance).toBe(0n)
})
