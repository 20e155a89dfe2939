import type { ConsolePorts } from '../ports.ts'
import type { SessionUser, SignedInUser, Visitor } from './sign-in-ports.ts'

/** Opens the session of a user who has passed every step. */
export async function openSession(
  ctx: Pick<ConsolePorts, 'clock' | 'ids' | 'userSessions'>,
  user: SignedInUser,
  visitor: Visitor,
  lifetimeMs: number,
): Promise<SessionUser> {
  const at = ctx.clock.now()
  const id = ctx.ids.create('ses')
  await ctx.userSessions.open({ ...visitor, id, userId: user.userId, at, expiresAt: new Date(at.getTime() + lifetimeMs) })
  return { ...user, sessionId: id }
}
