import { afterAll, beforeAll, expect, it } from 'vitest'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleCall, type ConsoleWorld, openConsoleWorld } from './console-world.ts'

let world: ConsoleWorld
let firstUser: SignedInUser
let other: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
  firstUser = await world.newUser()
  other = await world.newUser()
})
afterAll(() => world.close())

/** A verb that ends when it is released, and the calls of it that have begun. */
function createHeldVerb() {
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

const change = (overrides: ConsoleCall): ConsoleCall => ({ method: 'POST', body: {}, ...overrides })
const changeFrom = (address: string): ConsoleCall => change({ headers: { 'x-tollgate-address': address } })

it.each<[string, number, 'consoleRoute' | 'guestRoute', () => [mine: ConsoleCall, others: ConsoleCall]]>([
  ['changes of an account', 4, 'consoleRoute', () => [change({ as: firstUser }), change({ as: other })]],
  ['reads of an account', 8, 'consoleRoute', () => [{ as: firstUser }, { as: other }]],
  ['calls of strangers at one address', 8, 'guestRoute', () => [changeFrom('203.0.113.1'), changeFrom('203.0.113.2')]],
])('of %s so many are under way at once, and nobody else waits for them', async (_, maxInFlight, route, calls) => {
  const { begun, verb, end } = createHeldVerb()
  const handler = world.routes[route](verb)
  const [mine, others] = calls()
  const all = Array.from({ length: maxInFlight + 3 }, () => world.call(handler, mine))
  await expect.poll(() => begun.length).toBe(maxInFlight)
  all.push(world.call(handler, others))
  await expect.poll(() => begun.length).toBe(maxInFlight + 1)
  expect(new Set(begun.slice(0, maxInFlight)).size).toBe(1)
  expect(begun.at(-1)).not.toBe(begun[0])
  end()
  expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200))
  expect(begun).toHaveLength(maxInFlight + 4)
})
