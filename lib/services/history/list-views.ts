import type { SavedView } from '#lib/contracts/history'
import type { Ctx } from '../ports.ts'

/** The views of who asks, by name. */
export const listViews = async ({ ctx }: { ctx: Ctx<'views'> }): Promise<{ rows: SavedView[] }> => ({
  rows: await ctx.views.list(ctx.user.userId),
})
