import { readFile, realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { formatExact } from '../domain/exact-decimal.ts'
import { type ReconcileResult, reconcileUsage } from '../services/operator/reconcile-usage.ts'
import { type ComparedFigure, parseTolerance } from '../services/reconcile/compare-usage.ts'
import { type ExportLayout, parseLayout } from '../services/reconcile/export-layouts.ts'
import { readExport, type VendorExport } from '../services/reconcile/read-export.ts'
import { asServiceError } from '../services/service-error.ts'
import { createVendorUsage } from '../store/vendor-usage.ts'
import { formatColumns } from './columns.ts'
import { withDatabase } from './database.ts'

const USAGE = `Usage: npm run reconcile -- --connection NAME --file EXPORT [--file EXPORT ...]
       [--from DAY] [--to DAY] [--tolerance 0.5%] [--columns day=...,model=...,input=...,output=...,cost=...] [--all] [--json]`

const OPTIONS = {
  connection: { type: 'string' },
  file: { type: 'string', multiple: true },
  from: { type: 'string' },
  to: { type: 'string' },
  tolerance: { type: 'string', default: '0%' },
  columns: { type: 'string' },
  all: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

/** A calendar day, as it was written; null if the option is absent. Throws if there is no such day. */
function parseDay(name: 'from' | 'to', text: string | undefined): string | null {
  if (text === undefined) return null
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : null
  if (!time || Number.isNaN(time.getTime()) || !time.toISOString().startsWith(text))
    throw new Error(`--${name}: "${text}" is not a day such as 2026-11-22.`)
  return text
}

async function readFiles(paths: readonly string[], layout: ExportLayout | null): Promise<VendorExport[]> {
  const exports = []
  const seenPaths = new Set<string>()
  for (const path of paths) {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw new Error(`--file: ${path} cannot be read (${error.code}).`)
    })
    // A pipe has no real path.
    const realPath = await realpath(path).catch(() => path)
    if (seenPaths.has(realPath)) throw new Error(`--file: ${path} is given twice and would be counted twice.`)
    seenPaths.add(realPath)
    exports.push(readExport(basename(path), text, layout))
  }
  return exports
}

/** What the command line asks for, with its files read. */
async function parseArguments(words: string[]) {
  const { values } = parseArgs({ args: words, options: OPTIONS })
  const { connection, file, all, json } = values
  if (!connection || !file) return null
  const tolerance = parseTolerance(values.tolerance)
  if (tolerance === null) throw new Error(`--tolerance: "${values.tolerance}" is not a percentage such as 0.5%.`)
  const exports = await readFiles(file, values.columns === undefined ? null : parseLayout(values.columns))
  const [from, to] = [parseDay('from', values.from), parseDay('to', values.to)]
  return { input: { connection, exports, from, to, tolerance }, all, json }
}

/** The difference between the vendor's figure and ours, as a percentage of ours. */
function formatDeviation({ ours, theirs }: ComparedFigure): string {
  if (ours === 0n) return ''
  const hundredths = ((theirs - ours) * 10_000n) / (ours < 0n ? -ours : ours)
  return `${hundredths < 0n ? '-' : '+'}${String(hundredths)
    .replace('-', '')
    .padStart(3, '0')
    .replace(/(\d\d)$/, '.$1')}%`
}

const formatFigure = (figure: ComparedFigure) => ({
  day: figure.day,
  model: figure.model,
  measure: figure.measure,
  ours: formatExact(figure.ours),
  theirs: formatExact(figure.theirs),
  difference: formatExact(figure.theirs - figure.ours),
  differs: figure.differs,
})

const rowOf = (figure: ComparedFigure): string[] => {
  const { day, model, measure, ours, theirs, difference, differs } = formatFigure(figure)
  return [day, model ?? '(all models)', measure, ours, theirs, difference, formatDeviation(figure), differs ? 'DIFFERS' : '']
}

const TABLE_HEADER = ['day', 'model', 'figure', 'ours', 'theirs', 'difference', '', '']

function formatReport({ from, to, figures }: ReconcileResult, all: boolean): string {
  const differing = figures.filter(({ differs }) => differs)
  const shown = all ? figures : differing
  const summary =
    differing.length === 0
      ? `All ${figures.length} figures from ${from} to ${to} are the same.`
      : `${differing.length} of ${figures.length} figures from ${from} to ${to} differ.`
  return shown.length === 0 ? summary : `${formatColumns([TABLE_HEADER, ...shown.map(rowOf)])}\n\n${summary}`
}

await withDatabase({ usage: USAGE, parseArguments }, async ({ input: command, pool }) => {
  try {
    const reconciled = await reconcileUsage({ ctx: { vendorUsage: createVendorUsage(pool) }, input: command.input })
    const { from, to, figures } = reconciled
    const layouts = command.input.exports.map(({ layout }) => layout.name)
    process.stdout.write(
      command.json
        ? `${JSON.stringify({ from, to, layouts, figures: figures.map(formatFigure) }, null, 2)}\n`
        : `${layouts.join('; ')}\n${formatReport(reconciled, command.all)}\n`,
    )
    return figures.some(({ differs }) => differs) ? 2 : 0
  } catch (error) {
    const known = asServiceError(error)
    throw known ? new Error(known.message) : error
  }
})
