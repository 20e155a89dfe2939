import { expect, it } from 'vitest'
import { formatStoredText, parseStoredText, STORED_TEXTS, type StoredTextName } from './stored-text.ts'

it('is read again for what it is, with its values', () => {
  for (const [name, text] of Object.entries(STORED_TEXTS))
    if (!text.includes('{')) expect(parseStoredText(text)).toEqual({ name, values: {} })
  const filled: [StoredTextName, Record<string, string>][] = [
    ['imagesCounted', { tokens: '6240' }],
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
  for (const [name, values] of filled) expect(parseStoredText(formatStoredText(name, values))).toEqual({ name, values })
  expect(filled.map(([name]) => name)).toEqual(
    Object.keys(STORED_TEXTS).filter((name) => STORED_TEXTS[name as StoredTextName].includes('{')),
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
    expect(parseStoredText(text)).toBeNull()
})
