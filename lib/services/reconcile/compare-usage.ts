import { exactOf, exactOfNano, parseExact } from '../../domain/exact-decimal.ts'
import { maxBigInt } from '../../domain/money.ts'
import { MEASURES, type Measure } from './export-layouts.ts'
import type { ExportLine, VendorExport } from './read-export.ts'
import type { OurUsage } from './reconcile-ports.ts'

/** One figure from both sides. `model` is null if all models of the day are added up. */
export interface ComparedFigure {
  day: string
  model: string | null
  measure: Measure
  ours: bigint
  theirs: bigint
  differs: boolean
}

/** Stands for lines without a model, in an export that has others with one. */
export const NO_MODEL = '(no model)'
/** A receipt rounds each of its lines up to a nano-dollar, and has at most this many lines. */
const LINES_PER_RECEIPT = 10n
const ONE = exactOf(1n)

/** Parses a percentage such as `0.5%` as an exact decimal fraction; null if it is not one. */
export function parseTolerance(text: string): bigint | null {
  const share = /^(\d{1,2}(?:\.\d{1,6})?)%$/.exec(text)?.[1]
  const value = share === undefined ? null : parseExact(share)
  return value === null ? null : value / 100n
}

const DATE_SUFFIX = /-(\d{8}|\d{4}-\d{2}-\d{2})$/
const normalizeName = (name: string): string => name.toLowerCase().replace(/[\s._]+/g, '-')

/**
 * Finds our name of a vendor's model: by its exact name, by its name as people write it (`Claude Haiku 4.5`), or ignoring a
 * release date that only one of them has (`gpt-4o-2024-08-06`), in this order. A name without a match stays as it is.
 */
export function createModelFinder(ours: Iterable<string>): (theirs: string) => string {
  const names = new Set(ours)
  const byNormalized = new Map([...names].map((name) => [normalizeName(name), name]))
  const byUndated = new Map([...names].map((name) => [normalizeName(name).replace(DATE_SUFFIX, ''), name]))
  return (theirs) => {
    if (names.has(theirs)) return theirs
    const plain = normalizeName(theirs)
    return byNormalized.get(plain) ?? byNormalized.get(plain.replace(DATE_SUFFIX, '')) ?? byUndated.get(plain) ?? theirs
  }
}

interface Cell {
  day: string
  model: string | null
  ours: { [M in Measure]?: bigint }
  theirs: { [M in Measure]?: bigint }
  slack: bigint
}

const addAmounts = (sums: { [M in Measure]?: bigint }, amounts: { [M in Measure]?: bigint }): void => {
  for (const measure of MEASURES) if (amounts[measure] !== undefined) sums[measure] = (sums[measure] ?? 0n) + amounts[measure]
}

/** What to compare, and with what tolerance. */
export interface Comparison {
  /** `YYYY-MM-DD`, both inclusive. */
  from: string
  to: string
  /** The fraction by which figures may differ, as an exact decimal. */
  tolerance: bigint
}

/** Compares both sides on one level, by model or for whole days, in the figures that the vendor gives there. */
function compareLevel(
  ours: readonly OurUsage[],
  lines: readonly ExportLine[],
  named: boolean,
  { from, to, tolerance }: Comparison,
): ComparedFigure[] {
  const measures = MEASURES.filter((measure) => lines.some(({ amounts }) => amounts[measure] !== undefined))
  const find = createModelFinder(ours.map(({ model }) => model))
  const cells = new Map<string, Cell>()
  const cellOf = (day: string, model: string): Cell => {
    const key = named ? `${day}\n${model}` : day
    const found = cells.get(key) ?? { day, model: named ? model : null, ours: {}, theirs: {}, slack: 0n }
    cells.set(key, found)
    return found
  }
  for (const { day, model, amounts } of ours) {
    const cell = cellOf(day, model)
    addAmounts(cell.ours, amounts)
    cell.slack += exactOfNano((amounts.requests / ONE) * LINES_PER_RECEIPT)
  }
  for (const { day, model, amounts, slack } of lines) {
    if (day < from || day > to) continue
    const cell = cellOf(day, model === null ? NO_MODEL : find(model))
    addAmounts(cell.theirs, amounts)
    cell.slack += slack
  }
  const sorted = [...cells.values()].sort((a, b) => a.day.localeCompare(b.day) || (a.model ?? '').localeCompare(b.model ?? ''))
  return sorted.flatMap((cell) => measures.map((measure) => figureOf(cell, measure, tolerance)))
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value)

function figureOf({ day, model, ours, theirs, slack }: Cell, measure: Measure, tolerance: bigint): ComparedFigure {
  const [mine, their] = [ours[measure] ?? 0n, theirs[measure] ?? 0n]
  const larger = maxBigInt(absolute(mine), absolute(their))
  const allowed = (larger * tolerance) / ONE + (measure === 'cost' ? slack : 0n)
  return { day, model, measure, ours: mine, theirs: their, differs: absolute(mine - their) > allowed }
}

/**
 * Compares our records with a vendor's exports, day by day and model by model, as far as the exports go. A figure that no export
 * has is not compared. An export without models is compared with the sum of all models.
 */
export function compareUsage(
  ours: readonly OurUsage[],
  exports: readonly VendorExport[],
  comparison: Comparison,
): ComparedFigure[] {
  const isNamed = ({ lines }: VendorExport): boolean => lines.some(({ model }) => model !== null)
  const linesOf = (named: boolean) => exports.filter((one) => isNamed(one) === named).flatMap(({ lines }) => lines)
  return [...compareLevel(ours, linesOf(true), true, comparison), ...compareLevel(ours, linesOf(false), false, comparison)]
}
