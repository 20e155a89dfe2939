/**
 * Tests the walls of every route of the console, whatever routes there are. A new route without a case in route-cases.ts fails
 * here.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RouteHandler } from '#lib/console/route'
import { problem } from '#lib/contracts/common'
import { ACCOUNT_HEADER } from '#lib/contracts/session'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleCall, type ConsoleWorld, openConsoleWorld, provideConsole } from './console-world.ts'
import { CASES, type RouteCase } from './route-cases.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const
const API = join(import.meta.dirname, '../../app/api')

interface Route {
  name: string
  method: string
  /** With its parameters in brackets, as its folder is named. */
  path: string
  handler: RouteHandler
}

const files = readdirSync(API, { recursive: true }).map(String)
const routeFiles = files.filter((file) => file.endsWith('/route.ts')).sort()
const routes: Route[] = []
for (const file of routeFiles) {
  const path = `/api/${file.slice(0, -'/route.ts'.length)}`
  const module = (await import(join(API, file))) as Partial<Record<string, RouteHandler>>
  for (const method of METHODS) {
    const handler = module[method]
    if (handler) routes.push({ name: `${method} ${path}`, method, path, handler })
  }
}

const caseOf = ({ name }: Route): RouteCase => CASES[name] ?? { who: 'session' }
const isGuarded = (route: Route): boolean => typeof caseOf(route).who === 'string'
const guardedRoutes = routes.filter(isGuarded)
const mutatingRoutes = guardedRoutes.filter(({ method }) => method !== 'GET')
/** Somebody who may call the route. */
const allowedUser = (route: Route): SignedInUser => (caseOf(route).who === 'operator' ? operator : owner)
const named = ({ name }: Route) => ({ name })
const table = (selected: Route[]) => selected.map((route) => [named(route).name, route] as const)

let world: ConsoleWorld
let owner: SignedInUser
let other: SignedInUser
let operator: SignedInUser
let support: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  owner = await world.newUser()
  other = await world.newUser()
  operator = await world.newUser('operator')
  support = await world.newUser('support')
})
afterAll(() => world.close())

const fillPath = (path: string, params: Record<string, string>): string =>
  path.replace(/\[(?:\.\.\.)?(\w+)\]/g, (_, name: string) => encodeURIComponent(params[name] ?? 'x'))

async function ask(route: Route, call: ConsoleCall = {}): Promise<{ status: number; code: string | null; text: string }> {
  const { query = '' } = caseOf(route)
  const params = call.params ?? (route.path.includes('[') ? { id: 'x' } : {})
  const path = fillPath(route.path, params) + query
  const body = route.method === 'GET' ? {} : { body: call.body ?? {} }
  const response = await world.call(route.handler, { method: route.method, path, params, ...call, ...body })
  const text = await response.text()
  const parsed = response.status < 400 ? null : problem.safeParse(JSON.parse(text))
  return { status: response.status, code: parsed?.data?.error.code ?? null, text }
}

it('every route has a case, and every case a route', () => {
  expect(routes.length).toBeGreaterThan(15)
  expect(routes.map(({ name }) => name).sort()).toEqual(Object.keys(CASES).sort())
})

it('every read behind a session shows something of its account or says why not, and every id has an owner', () => {
  const uncoveredRoutes = guardedRoutes.filter((route) => {
    const { createOwned, createMarker, shared, who } = caseOf(route)
    if (who !== 'session') return false
    return route.path.includes('[') ? !createOwned : route.method === 'GET' && !createMarker && !shared
  })
  expect(uncoveredRoutes.map(({ name }) => name)).toEqual([])
})

describe.each(table(guardedRoutes.filter((route) => caseOf(route).who !== 'guest')))('%s', (_, route) => {
  it('is for those who are signed in', async () => {
    expect(await ask(route)).toMatchObject({ status: 401, code: 'signed_out' })
    const signedOutUser = { ...allowedUser(route), sessionEpoch: allowedUser(route).sessionEpoch + 1 }
    expect(await ask(route, { as: signedOutUser })).toMatchObject({ status: 401, code: 'signed_out' })
    const page = { [ACCOUNT_HEADER]: other.accountId }
    expect(await ask(route, { as: allowedUser(route), headers: page })).toMatchObject({ status: 409, code: 'other_account' })
    if (caseOf(route).who === 'operator')
      expect(await ask(route, { as: owner })).toMatchObject({ status: 403, code: 'not_allowed' })
    if (caseOf(route).who === 'operator' && route.method !== 'GET')
      expect(await ask(route, { as: support })).toMatchObject({ status: 403, code: 'not_allowed' })
  })
})

describe.each(table(mutatingRoutes))('%s', (_, route) => {
  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['nowhere', { origin: '' }],
    ['a page without an origin', { origin: 'null' }],
    ['a Host made to agree', { origin: 'http://evil.example', host: 'evil.example' }],
  ])('is refused from %s', async (_from, headers) => {
    expect(await ask(route, { as: allowedUser(route), headers })).toMatchObject({ status: 403, code: 'wrong_origin' })
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])('is refused as %j', async (type) => {
    const refused = await ask(route, { as: allowedUser(route), headers: { 'content-type': type } })
    expect(refused).toMatchObject({ status: 415, code: 'wrong_content' })
  })
})

/** What takes access away and does nothing else: a leaked secret must not stay valid until maintenance ends. */
const DURING_MAINTENANCE = [
  'DELETE /api/keys/[id]',
  'POST /api/keys/[id]/end-overlap',
  'DELETE /api/playground/key',
  'DELETE /api/settings/sessions/[id]',
  'POST /api/settings/sessions/end-others',
]

describe.each(table(mutatingRoutes.filter((route) => caseOf(route).who === 'session')))('%s', (name, route) => {
  const isOpen = DURING_MAINTENANCE.includes(name)
  it(`is ${isOpen ? 'done' : 'not done'} for account holders during maintenance`, async () => {
    const ownCall = isOpen ? await caseOf(route).createOwned?.({ world, owner }) : {}
    const { values } = world.console.ports.liveSettings
    values.maintenance = true
    try {
      const answer = await ask(route, { ...ownCall, as: owner })
      if (isOpen) expect(answer.status, answer.text).toBeLessThan(300)
      else expect(answer).toMatchObject({ status: 503, code: 'unavailable' })
    } finally {
      values.maintenance = false
    }
  })
})

describe.each(table(guardedRoutes.filter((route) => caseOf(route).createOwned)))('%s', (_, route) => {
  it("answers 404 for another account's, for what is not there, and serves the owner's", async () => {
    const ownCall = await caseOf(route).createOwned?.({ world, owner })
    expect(await ask(route, { ...ownCall, as: other })).toMatchObject({ status: 404, code: 'not_found' })
    expect(await ask(route, { ...ownCall, params: { id: 'no_such' }, as: owner })).toMatchObject({ status: 404 })
    // PostgreSQL accepts no NUL in text, and a client's mistake is not an internal error.
    expect((await ask(route, { ...ownCall, params: { id: 'no\0such' }, as: owner })).status).toBe(400)
    expect((await ask(route, { ...ownCall, as: owner })).status).toBeLessThan(300)
  })
})

describe.each(table(guardedRoutes.filter((route) => caseOf(route).createMarker)))('%s', (_, route) => {
  it("shows the owner's and never another account's", async () => {
    const marker = (await caseOf(route).createMarker?.({ world, owner })) ?? ''
    expect(marker.length).toBeGreaterThan(4)
    const ownAnswer = await ask(route, { as: owner })
    expect(ownAnswer.status).toBe(200)
    expect(ownAnswer.text).toContain(marker)
    const otherAnswer = await ask(route, { as: other })
    expect(otherAnswer.status).toBe(200)
    expect(otherAnswer.text).not.toContain(marker)
  })
})
