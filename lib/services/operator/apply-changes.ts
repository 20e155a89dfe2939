import type { ChangeResult } from '#lib/contracts/operator'
import { messageWith, type PlainMessage, toMessageDescriptor } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import type { CatalogChange, CatalogTarget } from './operator-ports.ts'

/** The field whose value already exists. */
const TAKEN_ERRORS: Record<CatalogTarget, [string, PlainMessage]> = {
  connection: ['name', 'A connection with this name already exists and may be archived. Choose another name.'],
  model: ['id', 'A model with this name already exists and may be archived. Choose another name, or restore it.'],
  price: ['startsAt', 'Another price of this model starts at exactly this time. Choose another time.'],
  deployment: [
    'upstreamModel',
    'This connection already runs this model under this name. If the deployment is archived, restore it.',
  ],
  group: ['name', 'A group with this name already exists and may be archived. Choose another name.'],
}

/**
 * Makes changes to the catalog, all or none. Every process has them within a second.
 * Errors: `not_found`; `conflict` if somebody else changed it first; `invalid_input` if a name is taken.
 */
export async function applyChanges(ctx: Ctx<'catalogWrites'>, changes: readonly CatalogChange[]): Promise<number[]> {
  const result = await ctx.catalogWrites.apply(ctx.user, changes)
  if (result.outcome === 'done') return result.versions
  const { outcome, target, id } = result
  if (outcome === 'taken') throw invalidField(...TAKEN_ERRORS[target])
  const thing = toMessageDescriptor(target)
  if (outcome === 'missing')
    throw new ServiceError(
      'not_found',
      messageWith('There is no such {thing}, or something it refers to does not exist.', { thing }),
    )
  throw new ServiceError(
    'conflict',
    messageWith('Somebody else has changed this {thing} ({id}) since you opened it. Reload it, then make your change.', {
      thing,
      id,
    }),
  )
}

/** Makes one change and returns what the contract defines. Errors: as `applyChanges`. */
export async function applyChange(ctx: Ctx<'catalogWrites'>, change: CatalogChange): Promise<ChangeResult> {
  const [version] = await applyChanges(ctx, [change])
  return { id: change.id, version: version ?? 1 }
}
