import type { Block, Content } from './content/blocks.ts'
import { plainText } from './inline.tsx'
import type { Operation } from './reference/operations.ts'
import type { Field } from './reference/schema-walker.ts'
import type { Entry } from './search.ts'

function textOf(block: Block, content: Content): string {
  if (block.kind === 'text') return plainText(block.text)
  if (block.kind === 'list') return block.items.map(plainText).join(' ')
  if (block.kind === 'table') return block.rows.flat().map(plainText).join(' ')
  if (block.kind === 'outcomes') return content.outcomes.flat().map(plainText).join(' ')
  return block.kind === 'sample' ? block.label : ''
}

/** One entry for each heading of the pages, with the text below it. */
export function pageEntries(content: Content, pages: Content['pages']): Entry[] {
  return pages.flatMap((page) => {
    const entries: Entry[] = [{ href: `/docs/${page.slug}`, page: page.title, title: page.title, text: page.lead }]
    for (const block of page.blocks) {
      const last = entries.at(-1)
      if (block.kind === 'heading')
        entries.push({ href: `/docs/${page.slug}#${block.id}`, page: page.title, title: block.text, text: '' })
      else if (last) last.text += ` ${textOf(block, content)}`
    }
    return entries
  })
}

const namesOf = (fields: readonly Field[]): string =>
  fields.map(({ name, variant, children }) => `${variant ? '' : name} ${namesOf(children)}`).join(' ')

/** One entry for each endpoint, found by its path, its description and the names of its fields. */
export const operationEntries = (operations: readonly Operation[], page: string): Entry[] =>
  operations.map(({ id, method, path, summary, body, parameters }) => ({
    href: `/docs/api/${id}`,
    page,
    title: `${method} ${path}`,
    text: `${summary} ${namesOf(parameters)} ${namesOf(body?.fields ?? [])}`,
  }))

/** One entry for each condition of the API, found by its code. */
export const errorEntries = (
  content: Content,
  table: Readonly<Record<string, { status: number; code: string }>>,
  page: string,
): Entry[] =>
  Object.entries(table).map(([condition, { status, code }]) => ({
    href: `/docs/errors#${condition}`,
    page,
    title: `${status} ${code}`,
    text: plainText(`${content.errors[condition]?.when ?? ''} ${content.errors[condition]?.todo ?? ''}`),
  }))
