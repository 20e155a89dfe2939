import type { Ctx } from '../ports.ts'

/**
 * Deletes everything that was said in the account's requests so far, those under way among them, with the files they
 * made. Records and receipts stay. Answers of how many requests something was kept.
 */
export async function clearHistory({ ctx }: { ctx: Ctx<'histories' | 'media'> }): Promise<{ requests: number }> {
  const { requests, files } = await ctx.histories.clear(ctx.user.accountId)
  await ctx.media.remove(files)
  return { requests }
}
