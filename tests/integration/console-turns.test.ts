import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInUser } from '#lib/services/ports'
import { type Call, openWorld, type World } from './console-world.ts'

let world: World
let one: SignedInUser
let other: SignedInUser
beforeAll(async () => {
  world = await openWorld()
  one = await world.newUser()
  other = await world.newUser()
})
afterAll(() => world.close())

/** A verb that ends when it is released, and the calls of it that have begun. */
function held() {
  const begun: string[] = []
  const gate = Promise.withResolvers<void>()
  const verb = async ({ ctx }: { ctx: object }) => {
    const { user, address } = ctx as { user?: SignedInUser; address?: string }
    begun.push(user?.accountId ?? String(address))
    await gate.promise
    return {}
  }
  return { begun, verb, end: gate.resolve }
}

const change = (differing: Call): Call => ({ method: 'POST', body: {}, ...differing })
const from = (address: string): Call => change({ headers: { 'x-tollgate-address': address } })

it.each<[string, number, 'consoleRoute' | 'guestRoute', () => [mine: Call, others: Call]]>([
  ['changes of an account', 4, 'consoleRoute', () => [change({ as: one }), change({ as: other })]],
  ['reads of an account', 8, 'consoleRoute', () => [{ as: one }, { as: other }]],
  ['calls of strangers at one address', 8, 'guestRoute', () => [from('203.0.113.1'), from('203.0.113.2')]],
])('of %s so many are under way at once, and nobody else waits for them', async (_, most, route, calls) => {
  const { begun, verb, end } = held()
  const handler = world.routes[route](verb)
  const [mine, others] = calls()
  const all = Array.from({ length: most + 3 }, () => world.call(handler, mine))
  await expect.poll(() => begun.length).toBe(most)
  all.push(world.call(handler, others))
  await expect.poll(() => begun.length).toBe(most + 1)
  expect(new Set(begun.slice(0, most)).size).toBe(1)
  expect(begun.at(-1)).not.toBe(begun[0])
  end()
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200))
  expect(begun).toHaveLength(most + 4)
})
