import type { EmailPreferences, EmailPreferencesInput } from '#lib/contracts/account'
import type { Ctx } from '../ports.ts'

/** Returns which mails the account wants to receive. */
export const getEmailPreferences = ({ ctx }: { ctx: Ctx<'emailPreferences'> }): Promise<EmailPreferences> =>
  ctx.emailPreferences.find(ctx.user.accountId)

/** Changes only the named mail settings of the account. Returns all of them. */
export async function setEmailPreferences({
  ctx,
  input,
}: {
  ctx: Ctx<'emailPreferences'>
  input: EmailPreferencesInput
}): Promise<EmailPreferences> {
  const { lowBalance, receipts, alerts } = input
  await ctx.emailPreferences.set(ctx.user.accountId, {
    ...(lowBalance === undefined ? {} : { lowBalance }),
    ...(receipts === undefined ? {} : { receipts }),
    ...(alerts === undefined ? {} : { alerts }),
  })
  return ctx.emailPreferences.find(ctx.user.accountId)
}
