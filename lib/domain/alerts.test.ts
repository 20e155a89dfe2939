import { expect, it } from 'vitest'
import { type FiringAlert, planAlertSteps, type RuleObservation } from './alerts.ts'

const T0 = new Date('2026-11-22T00:00:00Z')
const at = (seconds: number) => new Date(T0.getTime() + seconds * 1000)
const times = (seconds: number) => ({ now: at(seconds), clearMs: 60_000, quietMs: 600_000 })
const see = (holds: boolean | null): RuleObservation[] => [{ subject: 'con_1', name: 'one', holds, detail: {} }]
const firing = (clearSince: Date | null = null): FiringAlert[] => [{ id: 'evt', subject: 'con_1', clearSince }]
const dos = (...args: Parameters<typeof planAlertSteps>) => planAlertSteps(...args).map((step) => step.do)

it.each<[string, RuleObservation[], FiringAlert[], Map<string, Date>, number, string[]]>([
  ['fires where it holds', see(true), [], new Map(), 0, ['fire']],
  ['does nothing where it does not', see(false), [], new Map(), 0, []],
  ['fires once', see(true), firing(), new Map(), 0, []],
  ['waits when it is over', see(false), firing(), new Map(), 0, ['clear']],
  ['and still', see(false), firing(at(0)), new Map(), 59, []],
  ['ends when that has lasted', see(false), firing(at(0)), new Map(), 60, ['resolve']],
  ['goes on where it was over for a moment only', see(true), firing(at(0)), new Map(), 30, ['hold']],
  ['what is not seen any more is over', [], firing(at(0)), new Map(), 60, ['resolve']],
  ['what cannot be known changes nothing', see(null), firing(at(0)), new Map(), 60, []],
  ['nor does it fire', see(null), [], new Map(), 0, []],
  ['keeps quiet after an end', see(true), [], new Map([['con_1', at(0)]]), 599, []],
  ['for so long and no longer', see(true), [], new Map([['con_1', at(0)]]), 600, ['fire']],
  ['of the same thing only', see(true), [], new Map([['con_2', at(0)]]), 1, ['fire']],
])('%s', (_name, seen, open, ended, seconds, steps) => {
  expect(dos(seen, open, ended, times(seconds))).toEqual(steps)
})
