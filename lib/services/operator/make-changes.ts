import type { Changed } from '#lib/contracts/operator'
import type { CatalogChange, Target } from '../operator-ports.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'

const NAMES: Record<Target, string> = {
  connection: 'connection',
  model: 'model',
  price: 'price',
  deployment: 'deployment',
  group: 'group',
}

/** The field whose value there is already. */
const TAKEN: Record<Target, [string, string]> = {
  connection: ['name', 'There is a connection of this name already, maybe an archived one. Choose another name.'],
  model: ['id', 'There is a model of this name already, maybe an archived one. Choose another name, or restore it.'],
  price: ['startsAt', 'Another price of this model starts at this very moment. Choose another one.'],
  deployment: ['upstreamModel', 'This connection runs this model under this name already, maybe archived. Restore it.'],
  group: ['name', 'There is a group of this name already, maybe an archived one. Choose another name.'],
}

/**
 * Makes changes of the catalog, all or none; every process has them within a second.
 * Errors: `not_found`; `conflict` where somebody else was first, `invalid_input` where a name is taken.
 */
export async function makeChanges(ctx: Ctx<'catalogWrites'>, changes: readonly CatalogChange[]): Promise<number[]> {
  const done = await ctx.catalogWrites.apply(ctx.user, changes)
  if (done.outcome === 'done') return done.versions
  const { outcome, target, id } = done
  if (outcome === 'taken') throw invalidField(...TAKEN[target])
  if (outcome === 'missing')
    throw new ServiceError('not_found', `There is no such ${NAMES[target]}, or something that it names is not there.`)
  throw new ServiceError(
    'conflict',
    `Somebody else has changed this ${NAMES[target]} (${id}) since you opened it. Load it again, then make your change.`,
  )
}

/** One change, answered as the contract has it. Errors: as `makeChanges`. */
export async function makeChange(ctx: Ctx<'catalogWrites'>, change: CatalogChange): Promise<Changed> {
  const [version] = await makeChanges(ctx, [change])
  return { id: change.id, version: version ?? 1 }
}
