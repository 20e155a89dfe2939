import { describe, expect, test } from 'vitest'
import type { ExchangeResult } from './traffic.ts'
import { usageOfNumber } from './vendor.ts'
import { checkSingleCharges, compareAnswers, type RecordRow } from './verdict.ts'

const createResult = (overrides: Partial<ExchangeResult> = {}): ExchangeResult => ({
  number: 7,
  status: 200,
  requestId: 'req_1',
  replayOf: null,
  complete: true,
  costNano: 50n,
  error: null,
  ...overrides,
})
const [input, output] = usageOfNumber(7)
const createRecord = (overrides: Partial<RecordRow> = {}): RecordRow => ({
  id: 'req_1',
  outcome: 'finished',
  estimated: false,
  input: BigInt(input),
  output: BigInt(output),
  charged: 50n,
  shortfall: 0n,
  reversed: false,
  ...overrides,
})

function problemsOf(journal: ExchangeResult[], rows: RecordRow[]): string[] {
  const problems: string[] = []
  const records = new Map(rows.map((row) => [row.id, row]))
  compareAnswers(journal, records, problems)
  checkSingleCharges({ journal, keyedNumbers: new Set([7]) }, records, problems)
  return problems
}

describe('the verdict', () => {
  test.each<[string, ExchangeResult[], RecordRow[]]>([
    ['an answer with its charge', [createResult()], [createRecord()]],
    ['a refusal that costs nothing', [createResult({ status: 503, complete: false })], [createRecord({ charged: 0n })]],
    [
      'a refusal whose charge was given back',
      [createResult({ status: 503, complete: false })],
      [createRecord({ reversed: true })],
    ],
    ['a charge of which nobody heard', [createResult({ status: 0, requestId: null, complete: false })], [createRecord()]],
    [
      'a replay, and the answer it repeats',
      [createResult(), createResult({ requestId: 'req_2', replayOf: 'req_1' })],
      [createRecord()],
    ],
    [
      'a stored answer whose money was short',
      [createResult({ requestId: 'req_2', replayOf: 'req_1' })],
      [createRecord({ charged: 20n, shortfall: 30n })],
    ],
    [
      'a refusal whose answer a repeat got',
      [createResult({ status: 503, complete: false }), createResult({ requestId: 'req_2', replayOf: 'req_1' })],
      [createRecord()],
    ],
    [
      'the one of two with the same key that is free',
      [createResult({ costNano: 0n })],
      [createRecord({ charged: 0n, outcome: 'undelivered' })],
    ],
    ['two estimates, which tell no request', [createResult()], [createRecord(), createRecord({ id: 'req_2', estimated: true })]],
  ])('accepts %s', (_, journal, rows) => {
    expect(problemsOf(journal, rows)).toEqual([])
  })

  test.each<[string, ExchangeResult[], RecordRow[], RegExp]>([
    ['an answer that is not in the books', [createResult()], [], /not in the books/],
    ['an answer at another price', [createResult()], [createRecord({ charged: 51n })], /said 50, and was charged 51/],
    ['an answer whose charge was given back', [createResult()], [createRecord({ reversed: true })], /given back/],
    ['an answer for nothing', [createResult({ costNano: null })], [createRecord({ charged: 0n })], /for nothing/],
    [
      'a refusal that was charged',
      [createResult({ status: 500, complete: false })],
      [createRecord()],
      /refused with 500 and charged 50/,
    ],
    [
      'a request that was charged twice',
      [createResult()],
      [createRecord(), createRecord({ id: 'req_2' })],
      /Idempotency-Key, was charged 2 times/,
    ],
    [
      'a mistake of the gateway',
      [createResult({ status: 500, complete: false, error: 'The gateway failed.' })],
      [],
      /failure of our own/,
    ],
  ])('finds %s', (_, journal, rows, pattern) => {
    expect(problemsOf(journal, rows)).toEqual([expect.stringMatching(pattern)])
  })
})
