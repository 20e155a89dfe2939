import type { Changed } from '#lib/contracts/operator'
import { asSaid, type PlainMessage, said } from '../../messages/said.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import type { CatalogChange, Target } from './operator-ports.ts'

/** The field whose value there is already. */
const TAKEN: Record<Target, [string, PlainMessage]> = {
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
  const thing = asSaid(target)
  if (outcome === 'missing')
    throw new ServiceError('not_found', said('There is no such {thing}, or something that it names is not there.', { thing }))
  throw new ServiceError(
    'conflict',
    said('Somebody else has changed this {thing} ({id}) since you opened it. Load it again, then make your change.', {
      thing,
      id,
    }),
  )
}

/** One change, answered as the contract has it. Errors: as `makeChanges`. */
export async function makeChange(ctx: Ctx<'catalogWrites'>, change: CatalogChange): Promise<Changed> {
  const [version] = await makeChanges(ctx, [change])
  return { id: change.id, version: version ?? 1 }
}
