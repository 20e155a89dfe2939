import { beforeEach, describe, expect, it } from 'vitest'
import { LoadShedder, type ShedReason } from './load-shedder.ts'

let now = 0
const load = { count: 0, oldestMs: 0, lagMs: 0 }
let lines: string[] = []
let shedReasons: ShedReason[] = []
let shed: LoadShedder

beforeEach(() => {
  now = 0
  Object.assign(load, { count: 0, oldestMs: 0, lagMs: 0 })
  lines = []
  shedReasons = []
  const line = (_: object, message: string) => void lines.push(message)
  shed = new LoadShedder({
    load: { settling: () => load, lagMs: () => load.lagMs },
    limits: { inFlight: 3, lagMs: 500, settling: 10, settlingMs: 2000 },
    ticks: () => now,
    log: { info: line, warn: line, error: line },
    onShed: (reason) => void shedReasons.push(reason),
  })
})

const expectShed = (reason: ShedReason, kind: 'read' | 'paid' = 'paid') => {
  expect(() => shed.enter(kind)).toThrow(expect.objectContaining({ condition: 'overloaded', detail: reason }))
  expect(shedReasons.at(-1)).toBe(reason)
}

describe('a request is turned down', () => {
  it('while as many are under way as there may be', () => {
    for (let n = 0; n < 3; n++) shed.enter('paid')
    expectShed('under_way')
    expectShed('under_way', 'read')
    shed.leave()
    shed.enter('paid')
    expect(shed.inFlight).toBe(3)
  })

  it('while the event loop is late, and until it is clearly in time', () => {
    load.lagMs = 500
    shed.enter('paid')
    load.lagMs = 501
    expectShed('lag')
    expectShed('lag', 'read')
    load.lagMs = 300
    expectShed('lag')
    load.lagMs = 250
    shed.enter('paid')
    load.lagMs = 300
    shed.enter('paid')
  })

  it('while too many charges wait, or one too long; looking up models needs no ledger', () => {
    load.count = 10
    expectShed('settling')
    shed.enter('read')
    Object.assign(load, { count: 1, oldestMs: 2001 })
    expectShed('settling')
    load.oldestMs = 2000
    shed.enter('paid')
  })

  it('and says after how many seconds to come again', () => {
    load.oldestMs = 9999
    expect(() => shed.enter('paid')).toThrow(expect.objectContaining({ retryAfter: 2, status: 503 }))
    load.lagMs = 9999
    expect(() => shed.enter('paid')).toThrow(expect.objectContaining({ retryAfter: 1 }))
  })
})

it('the log has two lines for an episode, however many requests it hits', () => {
  load.lagMs = 1000
  for (let n = 0; n < 100; n++) expectShed('lag')
  load.lagMs = 0
  shed.enter('paid')
  expect(lines).toEqual(['overloaded: new requests are refused immediately'])
  now = 2000
  shed.enter('paid')
  shed.enter('paid')
  expect(lines).toEqual(['overloaded: new requests are refused immediately', 'no longer overloaded'])
})
