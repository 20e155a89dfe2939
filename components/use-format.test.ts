import { expect, it } from 'vitest'
import { createFormat } from './use-format.ts'

// Wednesday, 1 a.m.
const drawn = { timeZone: 'UTC', at: new Date('2026-11-25T01:00:00Z') }

it.each([
  ['2026-11-25T01:00:00Z', 'now', '现在'],
  ['2026-11-25T00:59:59Z', '1 second ago', '1秒钟前'],
  ['2026-11-24T02:00:00Z', '23 hours ago', '23小时前'],
  // Monday.
  ['2026-11-23T02:00:00Z', '1 day ago', '1天前'],
  ['2026-11-23T01:00:00Z', '2 days ago', '2天前'],
  ['2026-11-25T02:00:00Z', 'now', '现在'],
])('%s was %s, %s', (iso, en, zh) => {
  expect(createFormat('en', drawn).ago(iso)).toBe(en)
  expect(createFormat('zh', drawn).ago(iso)).toBe(zh)
})

it('separates the items of a list as the language does', () => {
  expect(createFormat('en', drawn).list(['tools', 'vision'])).toBe('tools, vision')
  expect(createFormat('zh', drawn).list(['工具调用', '视觉理解'])).toBe('工具调用、视觉理解')
})

it('has a space between sentences in English only', () => {
  expect(createFormat('en', drawn).sentences(['One.', false, 'Two.'])).toBe('One. Two.')
  expect(createFormat('zh', drawn).sentences(['单次付款。', null, '1 到 365。'])).toBe('单次付款。1 到 365。')
})

it.each([
  [0, '0%'],
  [0.0000005, '<0.1%'],
  [0.002, '0.2%'],
  [0.694, '69%'],
])('%d is a part of %s', (share, text) => {
  expect(createFormat('en', drawn).nonZeroPercent(share)).toBe(text)
})

it('does not say that nothing failed where one of many did', () => {
  expect(createFormat('en', drawn).nonZeroPercent(1 / 25_000, 2)).toBe('<0.01%')
  expect(createFormat('en', drawn).nonZeroPercent(14 / 10_000, 2)).toBe('0.14%')
})

it.each([
  [0.12, '+12%'],
  [-0.045, '−4.5%'],
  [0.004, '+0.4%'],
  [0.0004, '±0%'],
  [0, '±0%'],
])('%d is a change of %s', (share, text) => {
  expect(createFormat('zh', drawn).change(share)).toBe(text)
})
