import { CsvError, parse } from 'csv-parse/sync'
import { parseDocument } from 'yaml'
import { parseExact } from '../../domain/exact-decimal.ts'
import { isPlainObject } from '../../domain/is-plain-object.ts'
import { dayOf } from '../utc.ts'
import { type ExportLayout, LAYOUTS, MEASURES, type Measure } from './export-layouts.ts'

/** What a vendor reports for one day and model, or for a part of it. Counts and dollars are exact decimals. */
export interface ExportLine {
  /** `YYYY-MM-DD`, UTC. */
  day: string
  /** Null if the vendor names no model. */
  model: string | null
  amounts: { [M in Measure]?: bigint }
  /** How far rounding may put its cost off. */
  slack: bigint
}

export interface VendorExport {
  layout: ExportLayout
  lines: ExportLine[]
}

/** One record of a file, and its place for error messages. */
interface Entry {
  where: string
  fields: Map<string, string>
}

const fail = (where: string, what: string): never => {
  throw new Error(`${where}: ${what}`)
}

/**
 * Reads a vendor's export, CSV or JSON, with a known layout or a given one. Throws an Error that names the file, the line (for
 * JSON, the path) and the invalid field.
 */
export function readExport(file: string, text: string, chosenLayout: ExportLayout | null): VendorExport {
  const plain = text.replace(/^\uFEFF/, '')
  const { entries, names } = /^\s*[[{]/.test(plain) ? jsonEntries(file, plain) : csvEntries(file, plain)
  const has = (layout: ExportLayout): boolean => layout.needs.every((name) => names.has(name))
  const layout = chosenLayout ?? LAYOUTS.find(has)
  if (!layout) {
    const known = `It has ${[...names].join(', ') || 'no fields'}. Name the columns: --columns day=...,model=...,input=...,cost=...`
    return fail(file, `this export has an unknown format. ${known}`)
  }
  const missing = layout.needs.find((name) => !names.has(name))
  if (missing !== undefined) fail(file, `there is no column "${missing}". It has ${[...names].join(', ') || 'none'}.`)
  return { layout, lines: entries.flatMap((entry) => lineOf(entry, layout)) }
}

function csvEntries(file: string, text: string): { entries: Entry[]; names: Set<string> } {
  try {
    const options = { info: true, skip_empty_lines: true, trim: true } as const
    const [head, ...rows] = parse(text, options) as unknown as { record: string[]; info: { lines: number } }[]
    if (!head) return fail(file, 'it is empty.')
    const names = head.record
    const duplicate = names.find((name, at) => names.indexOf(name) !== at)
    if (duplicate !== undefined) fail(`${file}:${head.info.lines}`, `the column "${duplicate}" stands there twice.`)
    const entries = rows.map(({ record, info }) => ({
      where: `${file}:${info.lines}`,
      fields: new Map(names.map((name, at) => [name, record[at] ?? ''])),
    }))
    return { entries, names: new Set(names) }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return fail(`${file}:${String(error.lines ?? '?')}`, `${error.message}.`)
  }
}

type Json = null | boolean | string | Json[] | { [name: string]: Json }

/** Parses JSON and keeps numbers as their source text, because a float would change them. */
function parseJson(file: string, text: string): Json {
  const keepNumberText = (_: string, value: unknown, context?: { source?: string }): unknown =>
    typeof value === 'number' ? (context?.source ?? String(value)) : value
  try {
    return JSON.parse(text, keepNumberText as Parameters<typeof JSON.parse>[1]) as Json
  } catch (error) {
    const message = (error as Error).message
    // JSON.parse does not always name the line.
    const line = /line (\d+)/.exec(message)?.[1] ?? parseDocument(text).errors[0]?.linePos?.[0].line
    return fail(line === undefined ? file : `${file}:${line}`, 'this is not JSON.')
  }
}

/** Flattens nested objects into dotted names. Lists inside are left out. */
function flatten(object: { [name: string]: Json }, prefix = ''): [string, string][] {
  return Object.entries(object).flatMap(([name, value]): [string, string][] => {
    if (isPlainObject(value)) return flatten(value, `${prefix}${name}.`)
    return Array.isArray(value) ? [] : [[prefix + name, value === null ? '' : String(value)]]
  })
}

/** The records of a list, of pages with `data`, or of the results in their buckets, each with its bucket's own fields. */
function jsonEntries(file: string, text: string): { entries: Entry[]; names: Set<string> } {
  const all = parseJson(file, text)
  const pages = Array.isArray(all) && all.every((page) => isPlainObject(page) && Array.isArray(page.data)) ? all : [all]
  const entries = pages.flatMap((page, number) => {
    const isPage = isPlainObject(page)
    const items = isPage ? page.data : page
    if (!Array.isArray(items)) return fail(file, 'it contains no list, neither at the top level nor under "data".')
    if (number === pages.length - 1 && isPage && page.has_more === true)
      fail(file, 'it is incomplete: its last page has "has_more". Fetch the next pages too, and put them all into one list.')
    const place = pages.length > 1 ? `[${number}].data` : isPage ? 'data' : ''
    return items.flatMap((item, at) => itemEntries(`${file}: ${place}[${at}]`, item))
  })
  if (entries.length === 0) fail(file, 'it contains no usage.')
  return { entries, names: new Set(entries.flatMap(({ fields }) => [...fields.keys()])) }
}

/** The record that an item of a list is, or those in its `results`. */
function itemEntries(where: string, item: Json): Entry[] {
  if (!isPlainObject(item)) return fail(where, 'it is not an object.')
  const { results, ...own } = item
  if (!Array.isArray(results)) return [{ where, fields: new Map(flatten(item)) }]
  const ownFields = flatten(own)
  return results.map((result, at) => {
    const place = `${where}.results[${at}]`
    if (!isPlainObject(result)) return fail(place, 'it is not an object.')
    return { where: place, fields: new Map([...ownFields, ...flatten(result)]) }
  })
}

/** The UTC day of a date, of a time with or without an offset, or of seconds since 1970. */
function parseDay(text: string): string | null {
  const time = /^\d{9,10}$/.test(text) ? Number(text) * 1000 : parseTimeMs(text)
  return Number.isNaN(time) ? null : dayOf(new Date(time))
}

function parseTimeMs(text: string): number {
  const match = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/.exec(text)
  if (!match) return Number.NaN
  const [, date, clock = '00:00', offset = 'Z'] = match
  const time = Date.parse(`${date}T${clock}${offset === 'UTC' ? 'Z' : offset}`)
  // Date reads February 31 as a day in March.
  return Number.isNaN(time) || !new Date(`${date}T00:00Z`).toISOString().startsWith(date ?? '') ? Number.NaN : time
}

const slackOf = (places: number | undefined): bigint => (places === undefined ? 0n : (parseExact(`0.5e-${places}`) ?? 0n))

function lineOf({ where, fields }: Entry, layout: ExportLayout): ExportLine[] {
  const amounts = MEASURES.flatMap((measure): [Measure, bigint][] => {
    const from = layout.measures[measure]
    if (from === undefined) return []
    if (from === null) return [[measure, parseExact('1') ?? 0n]]
    const parts = from.map((name) => parseAmount(where, name, fields.get(name) ?? '', measure, layout))
    return parts.every((part) => part === null) ? [] : [[measure, parts.reduce<bigint>((sum, part) => sum + (part ?? 0n), 0n)]]
  })
  // Vendors write lines without figures for days without usage.
  if (amounts.length === 0) return []
  const dayText = fields.get(layout.day) ?? ''
  const day = parseDay(dayText) ?? fail(where, `${layout.day}: "${dayText}" is not a day such as 2026-11-22.`)
  const model = layout.model === null ? '' : (fields.get(layout.model) ?? '').trim()
  const named = layout.modelIn ? (layout.modelIn.exec(model)?.[1] ?? model) : model
  const slack = amounts.some(([measure]) => measure === 'cost') ? slackOf(layout.costPlaces) : 0n
  return [{ day, model: named === '' ? null : named, amounts: Object.fromEntries(amounts), slack }]
}

function parseAmount(where: string, name: string, text: string, measure: Measure, layout: ExportLayout): bigint | null {
  if (text === '') return null
  const plain = measure === 'cost' ? text.replace(/^(-?)\$/, '$1') : text
  const value = parseExact(plain) ?? fail(where, `${name}: "${text}" is not a number such as 1234.5.`)
  const one = parseExact('1') ?? 1n
  if (measure !== 'cost' && (value % one !== 0n || value < 0n)) fail(where, `${name}: "${text}" is not a count.`)
  return measure === 'cost' && layout.costUnit === 'cent' ? value / 100n : value
}
