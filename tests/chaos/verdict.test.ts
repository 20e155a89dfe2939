import { describe, expect, test } from 'vitest'
import type { ExchangeResult } from './traffic.ts'
import { unitsOf } from './vendor.ts'
import { compareAnswers, compareNumbers, type RecordRow } from './verdict.ts'

const sent = (more: Partial<ExchangeResult> = {}): ExchangeResult => ({
  number: 7,
  status: 200,
  requestId: 'req_1',
  replayOf: null,
  complete: true,
  costNano: 50n,
  error: null,
  ...more,
})
const [input, output] = unitsOf(7)
const record = (more: Partial<RecordRow> = {}): RecordRow => ({
  id: 'req_1',
  outcome: 'finished',
  estimated: false,
  input: BigInt(input),
  output: BigInt(output),
  charged: 50n,
  shortfall: 0n,
  reversed: false,
  ...more,
})

function wrongOf(journal: ExchangeResult[], rows: RecordRow[]): string[] {
  const wrong: string[] = []
  const records = new Map(rows.map((row) => [row.id, row]))
  compareAnswers(journal, records, wrong)
  compareNumbers({ journal, keyed: new Set([7]) }, records, wrong)
  return wrong
}

describe('the verdict', () => {
  test.each<[string, ExchangeResult[], RecordRow[]]>([
    ['an answer with its charge', [sent()], [record()]],
    ['a refusal that costs nothing', [sent({ status: 503, complete: false })], [record({ charged: 0n })]],
    ['a refusal whose charge was given back', [sent({ status: 503, complete: false })], [record({ reversed: true })]],
    ['a charge of which nobody heard', [sent({ status: 0, requestId: null, complete: false })], [record()]],
    ['a replay, and the answer it repeats', [sent(), sent({ requestId: 'req_2', replayOf: 'req_1' })], [record()]],
    [
      'a stored answer whose money was short',
      [sent({ requestId: 'req_2', replayOf: 'req_1' })],
      [record({ charged: 20n, shortfall: 30n })],
    ],
    [
      'a refusal whose answer a repeat got',
      [sent({ status: 503, complete: false }), sent({ requestId: 'req_2', replayOf: 'req_1' })],
      [record()],
    ],
    [
      'the one of two with the same key that is free',
      [sent({ costNano: 0n })],
      [record({ charged: 0n, outcome: 'undelivered' })],
    ],
    ['two estimates, which tell no request', [sent()], [record(), record({ id: 'req_2', estimated: true })]],
  ])('accepts %s', (_, journal, rows) => {
    expect(wrongOf(journal, rows)).toEqual([])
  })

  test.each<[string, ExchangeResult[], RecordRow[], RegExp]>([
    ['an answer that is not in the books', [sent()], [], /not in the books/],
    ['an answer at another price', [sent()], [record({ charged: 51n })], /said 50, and was charged 51/],
    ['an answer whose charge was given back', [sent()], [record({ reversed: true })], /given back/],
    ['an answer for nothing', [sent({ costNano: null })], [record({ charged: 0n })], /for nothing/],
    ['a refusal that was charged', [sent({ status: 500, complete: false })], [record()], /refused with 500 and charged 50/],
    ['a request that was charged twice', [sent()], [record(), record({ id: 'req_2' })], /Idempotency-Key, was charged 2 times/],
    [
      'a mistake of the gateway',
      [sent({ status: 500, complete: false, error: 'The gateway failed.' })],
      [],
      /failure of our own/,
    ],
  ])('finds %s', (_, journal, rows, pattern) => {
    expect(wrongOf(journal, rows)).toEqual([expect.stringMatching(pattern)])
  })
})
