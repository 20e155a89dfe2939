import { expect, it } from 'vitest'
import { RECORDED, type RecordedName, readRecorded, recorded } from './recorded.ts'

it('is read again for what it is, with its values', () => {
  for (const [name, text] of Object.entries(RECORDED))
    if (!text.includes('{')) expect(readRecorded(text)).toEqual({ name, values: {} })
  const filled: [RecordedName, Record<string, string>][] = [
    ['listPrice', { vendor: 'OpenAI (Azure)' }],
    ['listPriceOfShort', { vendor: 'Google' }],
    ['notReachedFor', { code: 'EHOSTUNREACH' }],
    ['unreached', { code: 'ECONNREFUSED' }],
    ['modelsAnswered', { status: '503' }],
    ['balanceAnswered', { status: '429' }],
    ['chatAnsweredWith', { status: '400', model: 'sonar-1', said: 'no model "sonar-1"\n(try "sonar")' }],
    ['chatAnswered', { status: '400', model: 'sonar-1' }],
    ['chatFailed', { model: 'sonar-1', detail: 'cut (early)' }],
  ]
  for (const [name, values] of filled) expect(readRecorded(recorded(name, values))).toEqual({ name, values })
  expect(filled.map(([name]) => name)).toEqual(
    Object.keys(RECORDED).filter((name) => RECORDED[name as RecordedName].includes('{')),
  )
})

it('leaves what people have written', () => {
  for (const text of [
    '',
    'For the trial',
    'Sign-up credit, and more',
    'The vendor reported no usage',
    "'s list price.",
    '{code}',
  ])
    expect(readRecorded(text)).toBeNull()
})
