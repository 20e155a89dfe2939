import type { MailWishes, MailWishesInput } from '#lib/contracts/account'
import type { Ctx } from '../ports.ts'

/** Which mails the account wants. */
export const getMailWishes = ({ ctx }: { ctx: Ctx<'mailWishes'> }): Promise<MailWishes> => ctx.mailWishes.of(ctx.user.accountId)

/** Changes what is named of the mails that the account wants. Answers all of it. */
export async function setMailWishes({ ctx, input }: { ctx: Ctx<'mailWishes'>; input: MailWishesInput }): Promise<MailWishes> {
  const { lowBalance, receipts, alerts } = input
  await ctx.mailWishes.set(ctx.user.accountId, {
    ...(lowBalance === undefined ? {} : { lowBalance }),
    ...(receipts === undefined ? {} : { receipts }),
    ...(alerts === undefined ? {} : { alerts }),
  })
  return ctx.mailWishes.of(ctx.user.accountId)
}
