import type { ChangeResult } from '#lib/contracts/operator'
import type { CreateGroupInput } from '#lib/contracts/operator-groups'
import type { Ctx } from '../ports.ts'
import { applyChange } from './apply-changes.ts'

/** Adds a group without models. Errors: `invalid_input` (name). */
export async function createGroup({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogWrites' | 'ids'>
  input: CreateGroupInput
}): Promise<ChangeResult> {
  const value = { ...input, isDefault: false }
  return applyChange(ctx, { do: 'add', target: 'group', id: ctx.ids.create('grp'), value })
}
