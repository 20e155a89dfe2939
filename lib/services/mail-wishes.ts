import type { MailWishes } from '#lib/contracts/account'
import type { Ctx } from './ports.ts'

/** Which mails the account wants. */
export const getMailWishes = ({ ctx }: { ctx: Ctx<'mailWishes'> }): Promise<MailWishes> => ctx.mailWishes.of(ctx.user.accountId)

/** Says which mails the account wants, all of them at once. */
export async function setMailWishes({ ctx, input }: { ctx: Ctx<'mailWishes'>; input: MailWishes }): Promise<MailWishes> {
  await ctx.mailWishes.set(ctx.user.accountId, input)
  return input
}
