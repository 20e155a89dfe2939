import fc from 'fast-check'
import { expect, it } from 'vitest'
import { settlementRow } from '../../ledger/settlement-row.ts'
import { recordColumns, recordLine } from './record-lines.ts'

const base = {
  id: 'req_1',
  at: new Date('2026-11-24T12:00:00.123Z'),
  accountId: 'acc_1',
  keyId: 'key_1',
  groupId: 'grp_1',
  modelId: 'm',
  endpoint: 'chat.completions',
  stream: true,
  status: 200,
  outcome: 'finished' as const,
  errorCode: null,
  errorText: null,
  finishReason: null,
  usage: { input: 3n, cachedInput: 2n, cacheWrite: 1n, output: 9n, reasoning: 4n, requests: 1n },
  holdNano: 100n,
  receipt: null,
  trace: [],
  ownMs: 0.25,
  firstTokenMs: null,
  tookMs: 12.5,
  leaseId: null,
  budgets: [],
  budgetLeases: [],
  void: false,
  answer: null,
}

it('a batch that has to be told otherwise has the very columns that its lines have', () => {
  const lines = [
    recordLine(settlementRow(base)),
    recordLine(settlementRow({ ...base, id: 'req_2', modelId: 'a\tb\\N\n', errorText: '\\.\r', firstTokenMs: 3 })),
  ]
  const columns = recordColumns(lines.join(''))
  expect(columns.id).toEqual(['req_1', 'req_2'])
  expect(columns.at).toEqual(Array(2).fill('2026-11-24T12:00:00.123Z'))
  expect(columns.model_id).toEqual(['m', 'a\tb\\N\n'])
  expect(columns.error_text).toEqual([null, '\\.\r'])
  expect(columns.input_units).toEqual(['6', '6'])
  expect(columns.first_token_ms).toEqual([null, '3'])
  expect(columns.took_ms).toEqual(['12.5', '12.5'])
  expect(columns.trace).toEqual(['[]', '[]'])
})

it('any texts come back', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.option(fc.string({ unit: 'binary' }))), { minLength: 1 }),
      (texts) => {
        const lines = texts.map(([modelId, errorText]) => recordLine(settlementRow({ ...base, modelId, errorText })))
        const columns = recordColumns(lines.join(''))
        expect(columns.model_id).toEqual(texts.map(([modelId]) => modelId))
        expect(columns.error_text).toEqual(texts.map(([, errorText]) => errorText))
      },
    ),
  )
})
