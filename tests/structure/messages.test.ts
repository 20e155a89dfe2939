import { glob, readFile } from 'node:fs/promises'
import { parse } from '@swc/core'
import { beforeAll, describe, expect, it } from 'vitest'
import zh from '../../components/messages/zh.json' with { type: 'json' }
import { STORED_TEXTS, type StoredTextName } from '../../lib/domain/stored-text.ts'
import { chinese } from '../../lib/messages/chinese.ts'

/** Files whose sentences are not answers that a page shows. */
const NOT_SHOWN: Record<string, string> = {
  'lib/services/reconcile/read-export.ts': 'of a command',
  'lib/services/webhooks/test-webhook.ts': 'the body of a webhook',
  'lib/console/auth.ts': 'the sign-in form has its own words for what is refused here',
  'lib/console/stripe-webhook.ts': 'answers to Stripe',
}

/** Reasons of ledger entries that the console shows by their kind. */
const SHOWN_BY_KIND = ['Debt paid from the balance', 'Redemption code', 'Top-up']

interface LiteralText {
  file: string
  /** The property whose value it is. */
  property: string | undefined
  /** With `{}` for each inserted value. */
  text: string
}

interface Node {
  type?: string
  key?: { value?: string }
  value?: unknown
  quasis?: { cooked: string }[]
}

/** The texts that a file has as literals. */
async function readLiterals(file: string): Promise<LiteralText[]> {
  const literals: LiteralText[] = []
  const visit = (node: unknown, property?: string): void => {
    if (Array.isArray(node)) for (const part of node) visit(part)
    else if (typeof node === 'object' && node !== null) {
      const { type, key, value, quasis } = node as Node
      if (type === 'ImportDeclaration') return
      if (type === 'StringLiteral') literals.push({ file, property, text: String(value) })
      if (type === 'TemplateLiteral' && quasis)
        literals.push({ file, property, text: quasis.map(({ cooked }) => cooked).join('{}') })
      const own = type === 'KeyValueProperty' ? key?.value : undefined
      for (const part of Object.values(node)) visit(part, own)
    }
  }
  visit((await parse(await readFile(file, 'utf8'), { syntax: 'typescript' })).body)
  return literals
}

const SENTENCE = /^["{A-Z].* .*[.?!]$/
/** Contracts have no texts but names and messages for people, which may not be sentences. */
const WORDS = /[a-z].* .*[a-z]/
const isUserFacing = ({ file, text }: LiteralText): boolean => (file.startsWith('lib/contracts/') ? WORDS : SENTENCE).test(text)

/** The names of the values that a text takes. */
const namesIn = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '').sort()

describe('what people are told by the verbs', () => {
  let literals: LiteralText[] = []
  beforeAll(async () => {
    const files: string[] = []
    for await (const file of glob('lib/{services,console,contracts}/**/*.ts'))
      if (!file.endsWith('.test.ts') && !(file in NOT_SHOWN)) files.push(file)
    for await (const file of glob('lib/{host/stripe,host/stripe/*,domain/vendor-faults}.ts')) files.push(file)
    literals = (await Promise.all(files.map(readLiterals))).flat()
  })

  it('has a Chinese sentence, and stands whole where it is told', () => {
    const userFacing = literals.filter(isUserFacing)
    expect(userFacing.length).toBeGreaterThan(200)
    expect(userFacing.filter(({ text }) => !Object.hasOwn(chinese, text))).toEqual([])
  })
  it('takes the same values in Chinese', () => {
    for (const [english, text] of Object.entries(chinese))
      expect({ english, names: namesIn(text) }).toEqual({ english, names: namesIn(english) })
  })
  it('has no Chinese of what nobody is told', () => {
    const texts = new Set(literals.map(({ text }) => text))
    expect(Object.keys(chinese).filter((english) => !texts.has(english))).toEqual([])
  })
  it('is the same Chinese where the gateway has kept it', () => {
    const both = (Object.keys(STORED_TEXTS) as StoredTextName[]).filter((name) => Object.hasOwn(chinese, STORED_TEXTS[name]))
    expect(both.length).toBeGreaterThan(10)
    for (const name of both) expect(zh.recorded[name]).toBe((chinese as Record<string, string>)[STORED_TEXTS[name]])
  })
  it('is written into the ledger as a reason that the console has in its languages, or by its kind', async () => {
    const reasons: LiteralText[] = []
    for await (const file of glob('lib/{store,services,setup}/**/*.ts', { exclude: ['lib/store/generated'] }))
      reasons.push(...(await readLiterals(file)).filter(({ property, text }) => property === 'reason' && /^\P{Ll}/u.test(text)))
    expect(reasons.length).toBeGreaterThan(0)
    const known: string[] = [...Object.values(STORED_TEXTS), ...SHOWN_BY_KIND]
    expect(reasons.filter(({ text }) => !known.includes(text))).toEqual([])
  })
  it('is Chinese, and written once', async () => {
    expect(Object.entries(chinese).filter(([, text]) => !/[^\p{ASCII}]/u.test(text))).toEqual([])
    const areas: string[] = []
    for await (const file of glob('lib/messages/chinese/*.ts')) areas.push(...(await readLiterals(file)).map(({ text }) => text))
    const translations = areas.filter((text) => /[^\p{ASCII}]/u.test(text))
    expect(translations.length).toBe(Object.keys(chinese).length)
  })
})
