import type { SessionRow } from '#lib/contracts/sign-in'
import type { SessionCtx } from '../ports.ts'

/** Lists the user's sessions, the most recently used first. */
export async function listSessions({ ctx }: { ctx: SessionCtx<'clock' | 'userSessions'> }): Promise<{ rows: SessionRow[] }> {
  const sessions = await ctx.userSessions.list(ctx.user.userId, ctx.clock.now())
  const rows = sessions.map(({ createdAt, lastSeenAt, ...session }) => ({
    ...session,
    current: session.id === ctx.user.sessionId,
    createdAt: createdAt.toISOString(),
    lastSeenAt: lastSeenAt.toISOString(),
  }))
  return { rows }
}
