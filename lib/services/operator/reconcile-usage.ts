import { messageWith } from '../../messages/message.ts'
import { type ComparedFigure, compareUsage } from '../reconcile/compare-usage.ts'
import type { VendorExport } from '../reconcile/read-export.ts'
import type { VendorUsage } from '../reconcile/reconcile-ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { addDays } from '../utc.ts'

export interface ReconcileInput {
  /** A connection's name or id. */
  connection: string
  exports: VendorExport[]
  /** `YYYY-MM-DD`, both inclusive. Null means the first or the last day of the exports. */
  from: string | null
  to: string | null
  /** The fraction by which figures may differ, as an exact decimal. */
  tolerance: bigint
}

export interface ReconcileResult {
  from: string
  to: string
  figures: ComparedFigure[]
}

const dayStartOf = (day: string): Date => new Date(`${day}T00:00:00Z`)

/**
 * Compares what we recorded for a connection with what its vendor reports. Changes nothing.
 * Errors: `not_found`, `invalid_input` (file, if there is nothing to compare; to).
 */
export async function reconcileUsage({
  ctx,
  input,
}: {
  ctx: { vendorUsage: VendorUsage }
  input: ReconcileInput
}): Promise<ReconcileResult> {
  const id = await ctx.vendorUsage.findConnectionId(input.connection)
  if (id === null)
    throw new ServiceError('not_found', messageWith('There is no connection "{connection}".', { connection: input.connection }))
  const days = input.exports.flatMap(({ lines }) => lines.map(({ day }) => day)).sort()
  const [from, to] = [input.from ?? days[0], input.to ?? days.at(-1)]
  if (from === undefined || to === undefined) throw invalidField('file', 'This file contains no usage.')
  if (from > to) throw invalidField('to', messageWith('{to} is before {from}.', { to, from }))
  const ours = await ctx.vendorUsage.byDay(id, dayStartOf(from), addDays(dayStartOf(to), 1))
  return { from, to, figures: compareUsage(ours, input.exports, { from, to, tolerance: input.tolerance }) }
}
