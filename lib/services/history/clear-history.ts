import type { Ctx } from '../ports.ts'

/**
 * Deletes the content of all the account's requests so far, including those in flight, with the files they made. Records and
 * receipts stay. Returns how many requests had content.
 */
export async function clearHistory({ ctx }: { ctx: Ctx<'histories' | 'media'> }): Promise<{ requests: number }> {
  const { requests, files } = await ctx.histories.clear(ctx.user.accountId)
  await ctx.media.remove(files)
  return { requests }
}
