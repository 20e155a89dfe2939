import type { ChangeResult } from '#lib/contracts/operator'
import type { UpdateGroupInput } from '#lib/contracts/operator-groups'
import { messageWith } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { applyChange } from './apply-changes.ts'
import { omitUndefined } from './update-connection.ts'

/** The error for a default group that is not open to all. */
export const createClosedDefaultError = (field: string): ServiceError =>
  invalidField(field, 'The default group is what every account can choose. Open it to all, or make another one the default.')

/**
 * Changes the named values of a group. The default group is open to all and not archived.
 * Errors: `not_found`, `conflict`, `invalid_input` (addAccounts, open).
 */
export async function updateGroup({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'catalogWrites'>
  input: UpdateGroupInput
}): Promise<ChangeResult> {
  const { id, version, addModels, removeModels, addAccounts, removeAccounts, ...fields } = input
  const group = await ctx.catalogReads.group(id)
  if (!group) throw new ServiceError('not_found', 'There is no such group.')
  const isDefault = fields.isDefault ?? group.isDefault
  if (isDefault && !(fields.open ?? group.open)) throw createClosedDefaultError('open')
  if (isDefault && group.archivedAt && fields.archived !== false)
    throw new ServiceError('conflict', 'This group is archived. Restore it first.')
  const found = await ctx.catalogReads.accountIds(addAccounts)
  const unknown = addAccounts.find((name) => !found.has(name))
  if (unknown !== undefined)
    throw invalidField(
      'addAccounts',
      messageWith('There is no account "{name}". Enter an email address or an id.', { name: unknown }),
    )
  const moves = { addModels, removeModels, addAccounts: [...new Set(found.values())], removeAccounts }
  return applyChange(ctx, { do: 'set', target: 'group', id, version, value: omitUndefined(fields), moves })
}
