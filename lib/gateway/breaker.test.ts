import { beforeEach, describe, expect, it } from 'vitest'
import { type BreakerChange, Breakers, type Pass } from './breaker.ts'

const SETTINGS = { failures: 3, cooldownMs: 1000, maxCooldownMs: 6000 }
const ID = 'dep_1'

let nowMs = 0
let changes: BreakerChange[] = []
let breakers: Breakers
beforeEach(() => start())

function start(more: Partial<typeof SETTINGS> = {}): void {
  nowMs = 1_000_000
  changes = []
  breakers = new Breakers(
    { ...SETTINGS, ...more },
    () => nowMs,
    (change) => changes.push(change),
  )
}

const availability = () => breakers.availabilityOf(ID, nowMs)
const waits = () => changes.filter(({ state }) => state === 'open').map(({ waitMs }) => waitMs)

/** `f` is a failure, `s` a success, `l` a 429, `c` a client that disconnected; a number lets that many seconds pass. */
function play(script: string): void {
  for (const step of script.split(' ')) {
    if (/^[\d.]+$/.test(step)) nowMs += Number(step) * 1000
    else for (const letter of step) if (availability() !== 'shut') recordResult(breakers.take(ID), letter)
  }
}

function recordResult(pass: Pass, letter: string): void {
  if (letter === 'f') pass.recordFailure()
  else if (letter === 's') pass.recordSuccess()
  else if (letter === 'l') pass.recordLimit(500)
  else pass.release()
}

describe('a breaker', () => {
  it.each([
    ['nobody has called', '0', 'closed', 'ready'],
    ['some fail', 'ff', 'closed', 'ready'],
    ['as many fail as open it', 'fff', 'open', 'shut'],
    ['half of many fail', 'sfsfsf', 'open', 'shut'],
    ['less than half fail', 'ssssffsfs', 'closed', 'ready'],
    ['they failed some time ago', 'ff 61 fss', 'closed', 'ready'],
    ['they failed in the span before', 'ff 31 f', 'open', 'shut'],
    ['they fail in a row after many good ones', 'ssssssssss ffffff', 'open', 'shut'],
    ['they fail almost in a row after many good ones', 'ssssssssss fffff s fffff', 'closed', 'ready'],
    ['they fail seldom, and never anything else', 'f 100 f 100 f 100 f 100 f 100 f', 'open', 'shut'],
    ['they fail seldom, and something else between', 'f 100 f 100 s f 100 f 100 f 100 f', 'closed', 'ready'],
    ['clients leave', 'ffcccccc', 'closed', 'ready'],
    ['it is at its limit', 'lllllll', 'closed', 'resting'],
    ['it was at its limit', 'll 0.5', 'closed', 'ready'],
    ['it was at its limit and answers again', 'll s', 'closed', 'ready'],
    ['it cools', 'fff 0.999', 'open', 'shut'],
    ['it has cooled', 'fff 1', 'open', 'ready'],
    ['its probe answers', 'fff 1 s', 'closed', 'ready'],
    ['its probe fails', 'fff 1 f', 'open', 'shut'],
    ['its probe fails and it has cooled as long as before', 'fff 1 f 1', 'open', 'shut'],
    ['its probe fails and it has cooled twice as long', 'fff 1 f 2', 'open', 'ready'],
    ["its probe's client leaves", 'fff 1 c', 'open', 'ready'],
    ['its probe is told of a limit', 'fff 1 l', 'open', 'shut'],
    ['its probe was told of a limit', 'fff 1 l 0.5', 'open', 'ready'],
    ['it is well again and some fail', 'fff 1 s ff', 'closed', 'ready'],
    ['it is well again and as many fail as open it', 'fff 1 s fff', 'open', 'shut'],
  ])('when %s (%s) is %s, and %s', (_, script, state, expected) => {
    play(script)
    expect({ state: breakers.state(ID), standing: availability() }).toEqual({ state, standing: expected })
  })

  it('is called again when breakers are switched off, whatever its probe does, and opens anew when they are on', () => {
    const settings = { ...SETTINGS }
    breakers = new Breakers(
      settings,
      () => nowMs,
      (change) => changes.push(change),
    )
    play('fff')
    expect(availability()).toBe('shut')
    settings.failures = 0
    expect(availability()).toBe('ready')
    play('ffffff')
    expect({ state: breakers.state(ID), standing: availability() }).toEqual({ state: 'closed', standing: 'ready' })
    settings.failures = 2
    play('ff')
    expect(availability()).toBe('shut')
  })

  it.each([
    ['each time its probe fails, up to a ceiling', 'fff 1 f 2 f 4 f 6 f 6 f', [1000, 2000, 4000, 6000, 6000, 6000]],
    ['when it opens again soon after it closed', 'fff 1 s fff 2 s fff', [1000, 2000, 4000]],
    ['but not when it was well for longer than the ceiling', 'fff 1 f 2 s 6.1 fff', [1000, 2000, 1000]],
    ['and not by a limit', 'fff 1 l 0.5 f', [1000, 500, 2000]],
  ])('stays open longer %s', (_, script, expected) => {
    play(script)
    expect(waits()).toEqual(expected)
  })

  it('says when it may be tried again', () => {
    play('fff 0.25')
    expect(breakers.waitMs(ID, nowMs)).toBe(750)
    play('0.75')
    expect(breakers.waitMs(ID, nowMs)).toBe(0)
    expect(breakers.waitMs('dep_other', nowMs)).toBe(0)
  })

  it('lets one probe through at a time, however long that takes', () => {
    play('fff 1')
    const probe = breakers.take(ID)
    expect({ state: breakers.state(ID), standing: availability() }).toEqual({ state: 'half_open', standing: 'shut' })
    nowMs += 1_000_000
    expect(availability()).toBe('shut')
    probe.recordSuccess()
    expect(availability()).toBe('ready')
  })

  it('closes when its probe begins to answer, and opens at once when that answer breaks off', () => {
    play('fff 1')
    const probe = breakers.take(ID)
    probe.recordStart()
    expect(breakers.state(ID)).toBe('closed')
    probe.recordFailure()
    expect(breakers.state(ID)).toBe('open')
    expect(waits()).toEqual([1000, 2000])
  })

  it('is as patient as before once an answer has ended well', () => {
    play('fff 1')
    breakers.take(ID).recordStart()
    play('s ff')
    expect(breakers.state(ID)).toBe('closed')
  })

  it('hears nothing from calls of before it opened', () => {
    const early = [breakers.take(ID), breakers.take(ID), breakers.take(ID)]
    play('fff')
    early[0]?.recordSuccess()
    expect(breakers.state(ID)).toBe('open')
    play('1')
    const probe = breakers.take(ID)
    early[1]?.recordFailure()
    expect(breakers.state(ID)).toBe('half_open')
    probe.recordSuccess()
    early[2]?.recordFailure()
    play('ff')
    expect(breakers.state(ID)).toBe('closed')
    expect(waits()).toEqual([1000])
  })

  it('is judged by its probe, whatever calls of before it opened say meanwhile', () => {
    const early = [1, 2, 3, 4].map(() => breakers.take(ID))
    play('fff 1')
    const probe = breakers.take(ID)
    early[0]?.recordStart()
    early[1]?.recordSuccess()
    early[2]?.recordLimit(500)
    early[3]?.release()
    expect({ state: breakers.state(ID), waits: waits() }).toEqual({ state: 'half_open', waits: [1000] })
    probe.recordFailure()
    expect(waits()).toEqual([1000, 2000])
  })

  it('believes no limit for longer than a minute, and a longer one more than a shorter one after it', () => {
    breakers.take(ID).recordLimit(3_600_000)
    breakers.take(ID).recordLimit(100)
    nowMs += 59_999
    expect(availability()).toBe('resting')
    nowMs += 1
    expect(availability()).toBe('ready')
    play('fff 1')
    breakers.take(ID).recordLimit(3_600_000)
    expect(waits()).toEqual([1000, 60_000])
  })

  it('hears the first result of a call, and no second', () => {
    for (let n = 0; n < 10; n++) {
      const pass = breakers.take(ID)
      pass.recordSuccess()
      pass.recordFailure()
      pass.recordStart()
    }
    const left = breakers.take(ID)
    left.release()
    for (let n = 0; n < 10; n++) left.recordFailure()
    expect(breakers.state(ID)).toBe('closed')
  })

  it('never opens where its settings say so', () => {
    start({ failures: 0 })
    play('ffffffffffffffffffff')
    expect(changes).toEqual([])
    expect(availability()).toBe('ready')
  })

  it('tells every change once', () => {
    play('fffff 1 f 2 s')
    expect(changes.map(({ state }) => state)).toEqual(['open', 'half_open', 'open', 'half_open', 'closed'])
  })
})

describe('the breakers of a process', () => {
  it('are apart', () => {
    play('fff')
    expect(breakers.availabilityOf('dep_other', nowMs)).toBe('ready')
    expect(breakers.state('dep_other')).toBe('closed')
  })

  it('keep their state over a change of the catalog, unless their deployment is gone', () => {
    play('fff')
    breakers.retainOnly(new Set([ID, 'dep_other']))
    expect(availability()).toBe('shut')
    breakers.retainOnly(new Set(['dep_other']))
    expect(availability()).toBe('ready')
  })
})

describe('a breaker that somebody resets', () => {
  it('is as one that nobody has called', () => {
    play('fff 1 f')
    expect(availability()).toBe('shut')
    breakers.reset(ID)
    expect(availability()).toBe('ready')
    expect(changes.at(-1)).toEqual({ deployment: ID, state: 'closed', waitMs: 0, failure: null })
    play('ff s fff')
    expect(waits().at(-1), 'its cool-down begins anew').toBe(SETTINGS.cooldownMs)
  })

  it('forgets failures that did not open it yet, and says nothing of it', () => {
    play('ff')
    breakers.reset(ID)
    play('ff')
    expect(availability()).toBe('ready')
    expect(changes).toEqual([])
  })

  it('hears nothing of calls that began before, a probe among them', () => {
    play('fff 1')
    const probe = breakers.take(ID)
    breakers.reset(ID)
    probe.recordFailure()
    expect(availability()).toBe('ready')
  })

  it('need not be there', () => {
    breakers.reset('dep_nobody')
    expect(changes).toEqual([])
  })
})

it('tells what it was told of last, in words of our own', () => {
  play('ff')
  breakers.take(ID).recordFailure({ result: 'failed', status: 503 })
  expect(changes.at(-1)).toMatchObject({ state: 'open', failure: { result: 'failed', status: 503 } })
})
