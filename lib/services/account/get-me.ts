import type { Me } from '#lib/contracts/session'
import type { Ctx } from '../ports.ts'

/** The signed-in user, and what the console needs to know about this gateway. */
export async function getMe({
  ctx,
}: {
  ctx: Ctx<'accounts' | 'catalog' | 'userCredentials' | 'settings' | 'signInSettings' | 'liveSettings' | 'clock'>
}): Promise<Me> {
  const [suspension, sandboxOnly, { emailVerified }] = await Promise.all([
    ctx.accounts.suspension(ctx.user.accountId),
    ctx.catalog.sandboxOnly(),
    ctx.userCredentials.find(ctx.user.userId),
  ])
  const { maintenance, notice } = ctx.liveSettings.values
  return {
    name: ctx.user.name,
    email: ctx.user.email,
    emailVerified,
    mail: ctx.signInSettings.mail,
    role: ctx.user.role,
    accountId: ctx.user.accountId,
    suspended: suspension !== null,
    suspendedReason: suspension?.reason ?? null,
    baseUrl: ctx.settings.baseUrl(),
    sandboxOnly,
    maintenance,
    notice: notice === null || (notice.until !== null && Date.parse(notice.until) <= ctx.clock.now().getTime()) ? null : notice,
  }
}
