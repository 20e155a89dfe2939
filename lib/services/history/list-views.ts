import type { SavedView } from '#lib/contracts/history'
import type { Ctx } from '../ports.ts'

/** Lists the caller's views, by name. */
export const listViews = async ({ ctx }: { ctx: Ctx<'views'> }): Promise<{ rows: SavedView[] }> => ({
  rows: await ctx.views.list(ctx.user.userId),
})
