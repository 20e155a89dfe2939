/** The operator's routes on a console of their own, for the tests beside this file. */
import { readdir } from 'node:fs/promises'
import { expect } from 'vitest'
import type { RouteHandler } from '#lib/console/route'
import type { SignedInUser } from '#lib/services/ports'
import { loadCatalog } from '#lib/store/catalog-store'
import type { FakeVendor } from '../fakes/vendor.ts'
import { sendJson } from '../fakes/vendor.ts'
import type { ConsoleCall, ConsoleWorld } from './console-world.ts'

export type Routes = Record<string, Record<string, RouteHandler>>

export const SECRET = 'sk-vendor-0123456789abcdef'

/** All operator routes, by address. The caller must have mocked `#lib/runtime`: they are bound to what it returns. */
export async function loadOperatorRoutes(): Promise<Routes> {
  const routes: Routes = {}
  for (const file of (await readdir('app/api/operator', { recursive: true })).filter((name) => name.endsWith('route.ts')))
    routes[file.replace(/\/route\.ts$/, '')] = await import(/* @vite-ignore */ `../../app/api/operator/${file}`)
  return routes
}

/** Calls an operator route by its method and address. Returns the status and the body. */
export function createCaller(world: ConsoleWorld, routes: Routes) {
  return async (method: string, path: string, as: SignedInUser | null, body?: unknown, more: Partial<ConsoleCall> = {}) => {
    const [plain = '', query = ''] = path.split('?')
    const { handler, params } = findRoute(routes, method, plain)
    const response = await world.call(handler, {
      method,
      path: `/api/operator/${plain}${query === '' ? '' : `?${query}`}`,
      ...(Object.keys(params).length > 0 ? { params } : {}),
      ...(as ? { as } : {}),
      ...(body === undefined ? {} : { body }),
      ...more,
    })
    return {
      status: response.status,
      body: (await response.json()) as Record<string, never> & { error?: { code: string; field?: string } },
    }
  }
}

/** Finds the route of an address, and the value of its `[id]`. */
export function findRoute(
  routes: Routes,
  method: string,
  path: string,
): { handler: RouteHandler; params: Record<string, string> } {
  const parts = path.split('/')
  for (const [pattern, verbs] of Object.entries(routes)) {
    const names = pattern.split('/')
    if (names.length !== parts.length || !names.every((name, at) => name === '[id]' || name === parts[at])) continue
    const handler = verbs[method]
    if (handler)
      return {
        handler,
        params: Object.fromEntries(names.flatMap((name, at) => (name === '[id]' ? [['id', parts[at] ?? '']] : []))),
      }
  }
  throw new Error(`there is no route ${method} ${path}`)
}

/** Makes a vendor offer models. */
export const offerModels = (vendor: FakeVendor, models: string[]): void =>
  vendor.answer((call) => sendJson(call, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) }))

let connectionCount = 0

/** Connects a vendor. Returns its connection. */
export async function connectVendor(
  call: ReturnType<typeof createCaller>,
  as: SignedInUser,
  more: { baseUrl: string },
): Promise<{ id: string; version: number }> {
  const body = { name: `vendor-${++connectionCount}`, kind: 'openai', credentials: { apiKey: SECRET }, ...more }
  const answer = await call('POST', 'connections', as, body)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body as never
}

/** The catalog as gateways read it. */
export const catalogOf = (world: ConsoleWorld) =>
  loadCatalog(world.pool, (sealed) => (sealed ? world.console.ports.sealing.open(sealed) : null))
