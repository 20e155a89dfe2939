import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { webhookEvents } from '#lib/contracts/webhooks'
import { CONDITION_TABLE } from '#lib/domain/errors'
import type { Block, Content, Page } from './content/blocks.ts'
import { contents } from './content/content.ts'
import { errorEntries, pageEntries } from './index-entries.ts'
import { plainText } from './inline.tsx'
import { sampleOf } from './samples.ts'
import { searchEntries } from './search.ts'

const { en, zh } = contents

/** The code and links in a text, sorted. They have to be the same in every language. */
const marks = (text: string): string[] => [...text.matchAll(/`[^`]+`|\]\(\/[^)]*\)/g)].map(([mark]) => mark).sort()

const textsOf = (block: Block): string[] => {
  if (block.kind === 'text' || block.kind === 'heading') return [block.text]
  if (block.kind === 'list') return block.items
  return block.kind === 'table' ? [...block.head, ...block.rows.flat()] : []
}

/** A page without its prose. */
const skeleton = ({ slug, needs, blocks }: Page) => ({
  slug,
  needs,
  blocks: blocks.map((block) => ({
    kind: block.kind,
    id: block.kind === 'heading' ? block.id : block.kind === 'sample' ? block.name : null,
    texts: textsOf(block).map(marks),
  })),
})

const headingsOf = ({ blocks }: Page): string[] => blocks.flatMap((block) => (block.kind === 'heading' ? [block.id] : []))

describe('the documentation', () => {
  it('says the same in every language: the same parts, code, samples and links', () => {
    expect(zh.pages.map(skeleton)).toEqual(en.pages.map(skeleton))
    for (const [condition, { when, todo }] of Object.entries(en.errors))
      expect([condition, marks(zh.errors[condition]?.when ?? ''), marks(zh.errors[condition]?.todo ?? '')]).toEqual([
        condition,
        marks(when),
        marks(todo),
      ])
    expect(zh.outcomes.map(([, , outcome]) => marks(outcome))).toEqual(en.outcomes.map(([, , outcome]) => marks(outcome)))
  })

  it('has every id of a page once', () => {
    for (const page of en.pages) expect(new Set(headingsOf(page)).size, page.slug).toBe(headingsOf(page).length)
    expect(new Set(en.pages.map(({ slug }) => slug)).size).toBe(en.pages.length)
  })

  it('links only to its own pages and to those that there are', () => {
    const known = new Set([
      '/sign-up',
      '/keys',
      '/models',
      '/history',
      '/billing',
      '/settings/webhooks',
      '/docs/api',
      ...en.pages.map(({ slug }) => `/docs/${slug}`),
    ])
    const all = JSON.stringify(en)
    const links = [...all.matchAll(/\]\((\/[^)]*)\)/g)].map(([, href = '']) => href.split(/[?#]/, 1)[0])
    expect(links.length).toBeGreaterThan(5)
    expect(links.filter((href) => !known.has(href ?? ''))).toEqual([])
  })

  it.each(Object.entries(contents))(
    'tells in %s of every condition when it happens and what to do',
    (_locale, content: Content) => {
      for (const condition of Object.keys(CONDITION_TABLE)) {
        expect(content.errors[condition]?.when.length, condition).toBeGreaterThan(5)
        expect(content.errors[condition]?.todo.length, condition).toBeGreaterThan(3)
      }
    },
  )

  it('has the rows of lib/ledger/README.md on how a request can end, word for word', () => {
    const readme = readFileSync(new URL('../../lib/ledger/README.md', import.meta.url), 'utf8')
    const table = readme.slice(readme.indexOf('| how it ended |')).split('\n\n', 1)[0] ?? ''
    const rows = table
      .split('\n')
      .slice(2)
      .map((row) =>
        row
          .split('|')
          .slice(1, 4)
          .map((cell) => cell.trim()),
      )
    expect(rows.length).toBeGreaterThan(10)
    expect(en.outcomes).toEqual(rows)
  })
})

describe('the events of webhooks', () => {
  /** The fields that the database writes into each event, from the migrations. The last one applies. */
  const written = new Map(
    globSync('prisma/migrations/*/migration.sql')
      .sort()
      .flatMap((file) => [
        ...readFileSync(file, 'utf8').matchAll(/emit_webhook\(NEW\.\w+, '([\w.]+)',.+?json_build_object\((.+?)\)\);/gs),
      ])
      .map(([, event, fields = '']) => [
        event,
        [...fields.matchAll(/(?<!>)'(\w+)', /g)].map(([, name]) => `\`${name}\``).join(', '),
      ]),
  )
  const rows = en.pages.flatMap(({ slug, blocks }) =>
    slug === 'webhooks' ? blocks.flatMap((block) => (block.kind === 'table' ? block.rows : [])) : [],
  )
  it('have the fields that are sent, here and in the README', () => {
    expect([...written.keys()].sort()).toEqual(webhookEvents.toSorted())
    const readme = readFileSync('README.md', 'utf8')
    for (const [event, fields] of written) {
      expect(rows.find(([name]) => name === `\`${event}\``)?.[1], event).toBe(fields)
      expect(readme).toContain(`| \`${event}\` | ${fields} |`)
    }
  })
})

describe('the examples', () => {
  const context = { baseUrl: 'https://gate.example/v1', model: 'a"b', videoModel: 'v/ideo', greeting: "it's \\ here" }
  const names = ['first', 'langchain', 'aiSdk', 'codex', 'opencode', 'models', 'stream', 'idempotency', 'video'] as const
  it.each(names)('%s name this gateway and read the key from the environment', (name) => {
    for (const { name: language, code } of sampleOf(name, context)) {
      expect(code, language).toContain('https://gate.example/v1')
      expect(code, language).toContain('TOLLGATE_KEY')
    }
  })
  it('quote what they are given', () => {
    const [curl, python, typescript] = sampleOf('first', context).map(({ code }) => code)
    expect(curl).toContain(`"it'\\''s \\\\ here"`)
    for (const code of [python, typescript]) expect(code).toContain(JSON.stringify(context.greeting))
    expect(sampleOf('langchain', context)[1]?.code).toContain("'it\\'s \\\\ here'")
  })
})

describe('search', () => {
  const entries = [...pageEntries(en, en.pages), ...errorEntries(en, CONDITION_TABLE, 'Errors')]
  it.each([
    ['idempotency', '/docs/idempotency'],
    ['model_not_found', '/docs/errors#unknown_model'],
    ['receipt nano-dollars', '/docs/billing#receipt'],
    ['LANGCHAIN', '/docs/quickstart#langchain'],
  ])('for "%s" finds %s first', (question, href) => {
    expect(searchEntries(entries, question)[0]?.href).toBe(href)
  })
  it('finds nothing for nothing, nor where one word is missing', () => {
    expect(searchEntries(entries, '  ')).toEqual([])
    expect(searchEntries(entries, 'idempotency zebra')).toEqual([])
  })
  it('reads texts without their marks', () => {
    expect(plainText('Use `a` **now**, see [Keys](/keys) [not](http://x)')).toBe('Use a now, see Keys [not](http://x)')
  })
})
