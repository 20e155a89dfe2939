import { describe, expect, it } from 'vitest'
import type { IncomingRequest } from './answer.ts'
import type { Exchange } from './exchange.ts'
import { readBody } from './read-body.ts'
import { readStoppable } from './stoppable-body.ts'

const never = () => new Promise<never>(() => undefined)

function exchangeOf(body: Partial<IncomingRequest>, length?: number): Exchange {
  const names: Record<string, string> = {
    'content-type': 'application/json',
    ...(length === undefined ? {} : { 'content-length': String(length) }),
  }
  const request = { method: 'POST', url: 'http://x/', headers: { get: (name: string) => names[name] ?? null }, ...body }
  return { received: { request }, stopped: false, onStop: null } as unknown as Exchange
}

const read = (exchange: Exchange) => readStoppable(exchange, (request) => readBody(request, 1_000_000, () => undefined))

const STOPPED = { condition: 'unavailable', retryAfter: 2, headers: { connection: 'close' } }

describe('a body that is being read', () => {
  it('is read to its end, piece by piece and at once', async () => {
    const pieces = ['{', '}', null]
    const next = async () => {
      const piece = pieces.shift() ?? null
      return piece === null ? null : Buffer.from(piece)
    }
    const exchange = exchangeOf({ pieces: () => next })
    expect((await read(exchange)).toString()).toBe('{}')
    expect(exchange.onStop).toBeNull()
    expect((await read(exchangeOf({ bytes: () => Buffer.from('{}') }, 2))).toString()).toBe('{}')
    expect((await read(exchangeOf({ bytes: async () => Buffer.from('{}') }, 2))).toString()).toBe('{}')
  })

  it.each([
    ['piece by piece', exchangeOf({ pieces: () => never })],
    ['at once', exchangeOf({ bytes: never }, 100)],
  ])('is not waited for once the process stops waiting: %s', async (_name, exchange) => {
    const reading = read(exchange)
    exchange.stopped = true
    exchange.onStop?.()
    await expect(reading).rejects.toMatchObject(STOPPED)
    expect(exchange.onStop).toBeNull()
  })

  it('is not waited for if the process stopped waiting before, unless all of it is there', async () => {
    const stopped = (exchange: Exchange) => Object.assign(exchange, { stopped: true })
    await expect(read(stopped(exchangeOf({ pieces: () => never })))).rejects.toMatchObject(STOPPED)
    expect((await read(stopped(exchangeOf({ bytes: () => Buffer.from('{}') }, 2)))).toString()).toBe('{}')
  })

  it('may break off by itself', async () => {
    const exchange = exchangeOf({ pieces: () => () => Promise.reject(new Error('gone')) })
    await expect(read(exchange)).rejects.toMatchObject({ condition: 'invalid_request' })
  })
})
