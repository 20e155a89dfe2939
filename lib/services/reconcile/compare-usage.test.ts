import { expect, test } from 'vitest'
import { exactOf, formatExact, parseExact } from '../../domain/exact-decimal.ts'
import { compareUsage, createModelFinder, parseTolerance } from './compare-usage.ts'
import { readExport } from './read-export.ts'
import type { OurUsage } from './reconcile-ports.ts'

const ours = (day: string, model: string, requests: bigint, input: bigint, cost: string): OurUsage => ({
  day,
  model,
  amounts: { requests: exactOf(requests), input: exactOf(input), cached: 0n, output: 0n, cost: parseExact(cost) ?? 0n },
})

const COMPARISON = { from: '2026-11-01', to: '2026-11-30', tolerance: 0n }
const csv = (...lines: string[]) => readExport('x.csv', ['usage_date_utc,model,cost_usd', ...lines].join('\n'), null)
const table = (figures: ReturnType<typeof compareUsage>) =>
  figures.map(({ day, model, measure, ours: mine, theirs, differs }) =>
    [day.slice(5), model, measure, formatExact(mine), formatExact(theirs), differs ? 'DIFFERS' : 'same'].join(' '),
  )

test('models are found by their name, as people write it, and without the day of their making', () => {
  const find = createModelFinder(['gpt-4o', 'gpt-4o-2024-05-13', 'claude-haiku-4-5', 'gpt-4.1'])
  expect(
    ['gpt-4o-2024-05-13', 'gpt-4o-2024-08-06', 'Claude Haiku 4.5', 'claude-haiku-4-5-20251001', 'gpt-4.1-2025-04-14', 'else'].map(
      find,
    ),
  ).toEqual(['gpt-4o-2024-05-13', 'gpt-4o', 'claude-haiku-4-5', 'claude-haiku-4-5', 'gpt-4.1', 'else'])
})

test('what only one side has differs, other days are left out, and rounding to cents does not differ', () => {
  const mine = [ours('2026-11-02', 'a', 1n, 5n, '0.104'), ours('2026-11-03', 'b', 1n, 5n, '2')]
  const theirs = csv('2026-11-02,a,0.05', '2026-11-02,a,0.06', '2026-11-04,c,1', '2026-12-01,d,9')
  expect(table(compareUsage(mine, [theirs], COMPARISON))).toEqual([
    '11-02 a cost 0.104 0.11 same',
    '11-03 b cost 2 0 DIFFERS',
    '11-04 c cost 0 1 DIFFERS',
  ])
})

test('a tolerance is a share of the larger figure', () => {
  const usage = (n: number) =>
    readExport('x.csv', `d,m,i\n2026-11-02,a,${n}\n`, {
      name: 'x',
      needs: [],
      day: 'd',
      model: 'm',
      measures: { input: ['i'] },
    })
  const differs = (n: number, share: string) =>
    compareUsage([ours('2026-11-02', 'a', 1n, 1000n, '0')], [usage(n)], {
      ...COMPARISON,
      tolerance: parseTolerance(share) ?? -1n,
    })[0]?.differs
  expect([differs(1000, '0%'), differs(999, '0%'), differs(995, '0.5%'), differs(994, '0.5%'), differs(1005, '0.5%')]).toEqual([
    false,
    true,
    false,
    true,
    false,
  ])
})

test('an export without models is compared with the sum of all of them, beside one that has them', () => {
  const mine = [ours('2026-11-02', 'a', 2n, 5n, '1'), ours('2026-11-02', 'b', 3n, 6n, '2')]
  const days = readExport('c.json', '{"data":[{"start_time":1793577600,"results":[{"amount":{"value":3.5}}]}]}', null)
  const models = readExport(
    'u.csv',
    'start_time,num_model_requests,input_tokens,model\n1793577600,2,5,a\n1793577600,3,7,b\n',
    null,
  )
  expect(table(compareUsage(mine, [days, models], COMPARISON))).toEqual([
    '11-02 a requests 2 2 same',
    '11-02 a input 5 5 same',
    '11-02 b requests 3 3 same',
    '11-02 b input 6 7 DIFFERS',
    '11-02  cost 3 3.5 DIFFERS',
  ])
})

test.each(['5', '0.5', '%', '-1%', '100%', '1e1%'])('%s is no tolerance', (text) => {
  expect(parseTolerance(text)).toBeNull()
})
