import type { z } from 'zod'
import { filterFields, MAX_VIEWS, requestFilters, type SavedView, type viewInput } from '#lib/contracts/history'
import { messageWith } from '../../messages/message.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { requestFilter } from './request-filter.ts'

/** Normalizes the query: filters only, in their order, each once. */
function normalizeQuery(query: string, now: Date): string {
  const params = new URLSearchParams(query)
  const parsed = requestFilters.safeParse(Object.fromEntries(params))
  if (!parsed.success) throw invalidField('query', 'These filters cannot be saved. Open the view, correct it, and save it again.')
  requestFilter(parsed.data, now)
  const names = Object.keys(filterFields) as (keyof typeof filterFields)[]
  return new URLSearchParams(
    names.flatMap((name) => (parsed.data[name] === undefined ? [] : [[name, parsed.data[name]]])),
  ).toString()
}

/**
 * Saves a view: a new one, or with an id an existing one.
 * Errors: `invalid_input` (name, query, to, model), `not_found`, also for another user's view, `conflict` beyond the maximum
 * number.
 */
export async function saveView({
  ctx,
  input,
}: {
  ctx: Ctx<'views' | 'ids' | 'clock'>
  input: z.output<typeof viewInput>
}): Promise<SavedView> {
  const { userId } = ctx.user
  const at = ctx.clock.now()
  const view = { id: input.id ?? ctx.ids.create('view'), name: input.name, query: normalizeQuery(input.query, at) }
  if (input.id !== undefined) {
    if (!(await ctx.views.change(userId, view))) throw new ServiceError('not_found', 'There is no such view.')
  } else if (!(await ctx.views.create(userId, { ...view, at }, MAX_VIEWS))) {
    throw new ServiceError('conflict', messageWith('{count} views are already saved. Delete one first.', { count: MAX_VIEWS }))
  }
  return view
}
