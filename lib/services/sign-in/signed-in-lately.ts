import type { SessionCtx } from '../ports.ts'

/** For who has no password to show that it is them: so long after signing in nothing more is asked. */
const LATELY_MS = 15 * 60_000

/** Whether the session that asks began a few minutes ago. One that was left open somewhere did not. */
export async function signedInLately(ctx: SessionCtx<'clock' | 'userSessions'>): Promise<boolean> {
  const at = ctx.clock.now()
  const session = (await ctx.userSessions.list(ctx.user.userId, at)).find(({ id }) => id === ctx.user.sessionId)
  return session !== undefined && at.getTime() - session.createdAt.getTime() < LATELY_MS
}
