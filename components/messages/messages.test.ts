import { describe, expect, it } from 'vitest'
import { STORED_TEXTS } from '#lib/domain/stored-text'
import en from './en.json' with { type: 'json' }
import zh from './zh.json' with { type: 'json' }

/** All texts of a language by their full name. */
function texts(tree: object, path = ''): Map<string, string> {
  return new Map(
    Object.entries(tree).flatMap(([name, value]) =>
      typeof value === 'string' ? [[path + name, value] as const] : [...texts(value as object, `${path}${name}.`)],
    ),
  )
}

/** The placeholders and tags of a text: `{name}`, `{count, plural, …}` and `<b>`. */
const slots = (text: string): string[] =>
  [
    ...new Set([...text.matchAll(/(?<!(?:=\d|one|other) )\{(\w+)[,}]|<(\w+)>/g)].map((match) => match[1] ?? match[2] ?? '')),
  ].sort()

describe('the texts of the console', () => {
  const english = texts(en)
  const chinese = texts(zh)

  it('are the same in every language', () => {
    expect([...chinese.keys()].sort()).toEqual([...english.keys()].sort())
  })
  it('take the same values in every language', () => {
    for (const [name, text] of english)
      expect({ name, slots: slots(chinese.get(name) ?? '') }).toEqual({ name, slots: slots(text) })
  })
  it('have all that the gateway writes into what it keeps, as it writes it', () => {
    expect(en.recorded).toEqual(STORED_TEXTS)
  })
  it('say whose months and days they tell of: limits turn at midnight UTC', () => {
    // The first has UTC stated next to it, the second is above a note that states it.
    const elsewhere = ['overview.lastDays', 'autoTopUp.states.ceiling']
    const told = [...english, ...chinese].filter(([name, text]) => {
      return /\b(this month|today)\b|本月|今[天日]/i.test(text) && !elsewhere.includes(name)
    })
    expect(told.length).toBeGreaterThan(10)
    expect(told.filter(([, text]) => !text.includes('UTC'))).toEqual([])
  })
  it('have no singular in Chinese, which knows none: a case for it would never be used', () => {
    expect([...chinese].filter(([, text]) => /[,}]\s*one \{/.test(text))).toEqual([])
  })
  it('are never empty', () => {
    expect([...english, ...chinese].filter(([, text]) => text.trim() === '')).toEqual([])
  })
})
