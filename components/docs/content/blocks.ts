import type { SampleName } from '../samples.ts'

/**
 * What documentation is made of. Texts may hold `code`, **weight** and [links](/to/a/page). Every language has
 * the same blocks in the same order, with the same ids and samples; a test holds them against each other.
 */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'heading'; id: string; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'table'; label: string; head: string[]; rows: string[][] }
  | { kind: 'sample'; name: SampleName; label: string }
  /** Every way in which the API refuses. */
  | { kind: 'errors' }
  /** How requests can end, and what is charged then. */
  | { kind: 'outcomes' }

/** One page. */
export interface Page {
  slug: string
  title: string
  /** In one sentence, under the title and in lists. */
  lead: string
  /** The address of the API without which there is nothing to tell of: a page of what is not there is not shown. */
  needs?: string
  blocks: Block[]
}

/** What a condition of the API means to a caller. */
export interface ErrorText {
  when: string
  todo: string
}

/** All that documentation says in one language. */
export interface Content {
  pages: Page[]
  /** By condition. */
  errors: Readonly<Record<string, ErrorText>>
  /** Rows of the table in lib/ledger/README.md: how a request ended, what is charged, and the outcome in its record. */
  outcomes: [ended: string, charged: string, outcome: string][]
}

export const text = (words: string): Block => ({ kind: 'text', text: words })
export const heading = (id: string, words: string): Block => ({ kind: 'heading', id, text: words })
export const list = (...items: string[]): Block => ({ kind: 'list', items })
export const table = (label: string, head: string[], ...rows: string[][]): Block => ({ kind: 'table', label, head, rows })
export const sample = (name: SampleName, label: string): Block => ({ kind: 'sample', name, label })
