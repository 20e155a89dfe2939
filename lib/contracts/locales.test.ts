import { describe, expect, it } from 'vitest'
import { chooseLocale } from './locales.ts'

describe('chooseLocale', () => {
  it.each([
    ['zh', 'en', 'zh'],
    [undefined, 'zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    [undefined, 'de, en-GB;q=0.9', 'en'],
    [undefined, 'fr', 'en'],
    ['klingon', null, 'en'],
    ['toString', 'constructor', 'en'],
  ])('a choice of %s and a browser that wants %s give %s', (chosen, accepted, locale) => {
    expect(chooseLocale(chosen, accepted)).toBe(locale)
  })
})
