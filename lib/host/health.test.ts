import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { Health } from './health.ts'

function ask(health: Health, url: string): Promise<[number, unknown]> | null {
  let answered: (answer: [number, unknown]) => void = () => undefined
  const answer = new Promise<[number, unknown]>((resolve) => {
    answered = resolve
  })
  let status = 0
  const response = {
    writeHead(code: number) {
      status = code
      return response
    },
    end: (text: string) => answered([status, JSON.parse(text)]),
  }
  return health.serve({ url } as IncomingMessage, response as unknown as ServerResponse) ? answer : null
}

it('is bad while the database does not answer and while the process stops; a probe is alive all the while', async () => {
  let [database, now] = [true, 0]
  const health = new Health({ ping: async () => database, ticks: () => now })
  expect(await ask(health, '/healthz')).toEqual([200, { status: 'ok', database: true }])
  database = false
  now = 2000
  expect(await ask(health, '/healthz?from=probe')).toEqual([503, { status: 'no database', database: false }])
  database = true
  health.draining = true
  now = 4000
  expect(await ask(health, '/healthz')).toEqual([503, { status: 'draining', database: true }])
  expect(await ask(health, '/healthz/live')).toEqual([200, { status: 'ok' }])
  expect(ask(health, '/healthzz')).toBeNull()
})

it('asks the database once a second, however often it is asked', async () => {
  let [pings, now] = [0, 0]
  const ping = async () => ++pings > 0
  const health = new Health({ ping, ticks: () => now })
  for (let n = 0; n < 100; n++) await ask(health, '/healthz')
  expect(pings).toBe(1)
  now = 1001
  await ask(health, '/healthz')
  expect(pings).toBe(2)
})
