import type { SampleName } from '../samples.ts'

/**
 * The building blocks of the documentation. Texts may contain `code`, **bold** and [links](/to/a/page). All languages have the
 * same blocks in the same order, with the same ids and samples. A test compares them.
 */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'heading'; id: string; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; label: string; head: string[]; rows: string[][] }
  | { kind: 'sample'; name: SampleName; label: string }
  /** All conditions of the API. */
  | { kind: 'errors' }
  /** The ways in which requests can end, and what is charged for each. */
  | { kind: 'outcomes' }

/** A page. */
export interface Page {
  slug: string
  title: string
  /** One sentence, shown under the title and in lists. */
  lead: string
  /** The API path that the page is about. If this gateway does not have it, the page is not shown. */
  needs?: string
  blocks: Block[]
}

/** The meaning of a condition of the API to a caller. */
export interface ErrorText {
  when: string
  todo: string
}

/** The whole documentation in one language. */
export interface Content {
  pages: Page[]
  /** By condition. */
  errors: Readonly<Record<string, ErrorText>>
  /** The rows of the table in lib/ledger/README.md: how a request ended, what is charged, and the outcome in its record. */
  outcomes: [ended: string, charged: string, outcome: string][]
  /** The texts of the API reference by their English, which is that of the OpenAPI document. Empty in English. */
  reference: Readonly<Record<string, string>>
}

export const text = (words: string): Block => ({ kind: 'text', text: words })
export const heading = (id: string, words: string): Block => ({ kind: 'heading', id, text: words })
export const list = (...items: string[]): Block => ({ kind: 'list', items })
export const table = (label: string, head: string[], ...rows: string[][]): Block => ({ kind: 'table', label, head, rows })
export const sample = (name: SampleName, label: string): Block => ({ kind: 'sample', name, label })
