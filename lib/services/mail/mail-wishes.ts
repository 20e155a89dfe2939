import type { MailWishes, MailWishesInput } from '#lib/contracts/account'
import type { Ctx } from '../ports.ts'

/** Returns which mails the account wants to receive. */
export const getMailWishes = ({ ctx }: { ctx: Ctx<'mailWishes'> }): Promise<MailWishes> => ctx.mailWishes.of(ctx.user.accountId)

/** Changes only the named mail settings of the account. Returns all of them. */
export async function setMailWishes({ ctx, input }: { ctx: Ctx<'mailWishes'>; input: MailWishesInput }): Promise<MailWishes> {
  const { lowBalance, receipts, alerts } = input
  await ctx.mailWishes.set(ctx.user.accountId, {
    ...(lowBalance === undefined ? {} : { lowBalance }),
    ...(receipts === undefined ? {} : { receipts }),
    ...(alerts === undefined ? {} : { alerts }),
  })
  return ctx.mailWishes.of(ctx.user.accountId)
}
