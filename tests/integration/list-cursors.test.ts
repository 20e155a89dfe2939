import { glob } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newId } from '#lib/domain/ids'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleWorld, openConsoleWorld, provideConsole } from './console-world.ts'
import { findRoute, type Routes } from './operator-world.ts'

const routes: Routes = {}
for await (const file of glob('**/route.ts', { cwd: 'app/api', exclude: ['auth/**', 'stripe/**'] }))
  routes[file.replace(/\/route\.ts$/, '')] = await import(/* @vite-ignore */ `../../app/api/${file}`)

let world: ConsoleWorld
let ada: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  ada = await world.newUser('operator')
})
afterAll(() => world.close())

const idOf = (prefix: string): string => newId(prefix, Date.UTC(2026, 10, 20), Buffer.alloc(10, 7))
/** Texts that are no position in a list by ids: empty, words, ids of another kind, more than an id. */
const invalidIds = (prefix: string) => ['', 'foo', `${prefix}_zzz`, idOf('usr'), `${idOf(prefix)}~`]
const INVALID_TIMES = [
  ...['', '~', 'nonsense', idOf('ent')],
  ...['2026-13-45T00:00:00.000Z~x', '2026-02-30T00:00:00.000Z~x', '0000-01-01T00:00:00.000Z~x'],
  ...['2026-01-01T00:00:00.000Z~', '2026-01-01T00:00:00.000Z~a\0b', `2026-01-01T00:00:00.000Z~${'x'.repeat(150)}`],
]
const INVALID_NAMES = ['', 'x'.repeat(201), 'a\0b']

const LISTS: [path: string, wrong: string[]][] = [
  [
    'keys',
    ['', 'x', '-~1', `-~1~${idOf('usr')}`, `x~1~${idOf('key')}`, `-~x~${idOf('key')}`, `-~1~${idOf('key')}~`, '-~1~key_a\0b'],
  ],
  ['requests', invalidIds('req')],
  ['billing/transactions', INVALID_TIMES],
  ['webhooks/hook_any/deliveries', INVALID_TIMES],
  ['operator/audit', invalidIds('aud')],
  ['operator/codes', invalidIds('code')],
  ['operator/alert-events', invalidIds('alert')],
  ['operator/accounts', ['', 'x', '-~~', '-~foo~', `-~${idOf('usr')}~`, '0~acc_1~x', '-~acc_1~a\0b']],
  ['operator/accounts?search=a', ['', 'x', '-~acc_1~', '5~acc_1~x', '9~acc_1~x', '0~foo~x', '0~acc_1~a\0b']],
  ['operator/accounts/acc_any/entries', INVALID_TIMES],
  ['operator/accounts/acc_any/requests', invalidIds('req')],
  ['operator/connections', INVALID_NAMES],
  ['operator/models', INVALID_NAMES],
  ['operator/groups', INVALID_NAMES],
  ['operator/groups/grp_main/accounts', invalidIds('acc')],
  ['operator/balances', INVALID_NAMES],
]

it.each(LISTS)('GET /api/%s refuses what is no place in it, and names the field', async (path, wrong) => {
  const { handler, params } = findRoute(routes, 'GET', path.split('?')[0] ?? '')
  for (const before of wrong) {
    const query = `before=${encodeURIComponent(before)}`
    const fullPath = `/api/${path}${path.includes('?') ? '&' : '?'}${query}`
    const response = await world.call(handler, { path: fullPath, as: ada, ...(Object.keys(params).length > 0 ? { params } : {}) })
    const { error } = (await response.json()) as { error?: { code: string; field?: string; message: string } }
    expect([response.status, error?.code, error?.field], fullPath).toEqual([400, 'invalid_input', 'before'])
    expect(error?.message).toMatch(/position in the list is invalid|NUL character/)
  }
  expect(world.errors).toEqual([])
})
