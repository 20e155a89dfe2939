import { DAY_MS, HOUR_MS } from '../../domain/time-units.ts'
import type { ConsolePorts } from '../ports.ts'
import type { TokenKind } from './sign-in-ports.ts'

/** How long a token is valid. */
const LIFETIME_MS: Record<TokenKind, number> = {
  verify: DAY_MS,
  email: DAY_MS,
  reset: HOUR_MS,
  second_step: HOUR_MS / 6,
}

/** Issues a token for a user and returns it. Only its hash is stored. */
export async function issueToken(
  ctx: Pick<ConsolePorts, 'clock' | 'oneTimeTokens' | 'tokenSecrets'>,
  kind: TokenKind,
  { userId, email }: { userId: string; email: string },
): Promise<string> {
  const at = ctx.clock.now()
  const { token, hash } = ctx.tokenSecrets.create()
  await ctx.oneTimeTokens.issue({ hash, kind, userId, email, at, expiresAt: new Date(at.getTime() + LIFETIME_MS[kind]) })
  return token
}
