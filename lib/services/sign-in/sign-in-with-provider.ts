import type { Provider } from '#lib/contracts/sign-in'
import { composeProviderLinkedEmail } from '../mail/emails.ts'
import type { GuestCtx } from '../ports.ts'
import { issueToken } from './issue-token.ts'
import type { IdentityKey, SignedInUser } from './sign-in-ports.ts'

/** What a provider reports about a user who has just signed in there. */
export interface ProviderLogin extends IdentityKey {
  name: string
  /** In lowercase. Null if there is none, or none that the provider has verified. */
  email: string | null
}

/**
 * The outcome. `second_step`: the token stands for this sign-in until its code is given. `unverified`: the provider has no
 * verified address. `not_joined`: the address has an account here, but nobody confirmed here that it is theirs.
 */
export type ProviderOutcome =
  | { outcome: 'in'; user: SignedInUser }
  | { outcome: 'second_step'; token: string }
  | { outcome: 'refused'; why: 'unverified' | 'not_joined' | 'closed' | 'limited' }

type Needs =
  | 'clock'
  | 'ids'
  | 'limits'
  | 'users'
  | 'accounts'
  | 'creditMarks'
  | 'identities'
  | 'settings'
  | 'secondSteps'
  | 'oneTimeTokens'
  | 'tokenSecrets'
  | 'mailer'
  | 'background'
  | 'signInSettings'

const PROVIDER_NAMES: Record<Provider, string> = { github: 'GitHub', google: 'Google' }
const MAX_NAME_LENGTH = 80
const MAX_EMAIL_LENGTH = 254

const refusal = (why: 'unverified' | 'not_joined' | 'closed' | 'limited'): ProviderOutcome => ({ outcome: 'refused', why })

/** Finds the user of a provider's sign-in, links it to the account with its address, or opens an account for it. */
async function resolveUser(ctx: GuestCtx<Needs>, login: ProviderLogin): Promise<SignedInUser | ProviderOutcome> {
  const { provider, providerAccountId, email } = login
  const key = { provider, providerAccountId }
  const known = await ctx.identities.find(key)
  if (known) return known
  if (email === null || email.length > MAX_EMAIL_LENGTH) return refusal('unverified')
  const owner = await ctx.users.byEmail(email)
  if (owner) {
    // A stranger may have made the account with an unconfirmed address. Linking would give both people access to it.
    if (!owner.emailVerified) return refusal('not_joined')
    const { passwordHash: _hash, emailVerified: _verified, ...user } = owner
    if (!(await ctx.identities.link(key, user.userId, ctx.clock.now()))) return (await ctx.identities.find(key)) ?? user
    ctx.background.defer('the mail after a provider was joined', () =>
      ctx.mailer.send(composeProviderLinkedEmail(user, PROVIDER_NAMES[provider], ctx.signInSettings)),
    )
    return user
  }
  if (ctx.settings.signUp !== 'open') return refusal('closed')
  if ((await ctx.limits.signUpAddress.take(ctx.address)) !== null) return refusal('limited')
  return openAccount(ctx, { ...login, email })
}

async function openAccount(
  ctx: GuestCtx<Needs>,
  { name, email, provider, providerAccountId }: ProviderLogin & { email: string },
): Promise<SignedInUser | ProviderOutcome> {
  const identity = { provider, providerAccountId }
  await ctx.accounts.create({
    accountId: ctx.ids.create('acc'),
    userId: ctx.ids.create('usr'),
    name: name.trim().slice(0, MAX_NAME_LENGTH) || (email.split('@')[0] ?? email),
    email,
    passwordHash: null,
    role: 'holder',
    at: ctx.clock.now(),
    emailVerified: true,
    locale: ctx.locale,
    identity,
    creditNano: ctx.settings.signUpCreditNano,
    creditMark: ctx.creditMarks.of(email),
    historyDays: ctx.settings.historyDays,
  })
  // Of two concurrent sign-ins, one has made the account. Of a concurrent sign-in and sign-up, the sign-up has the address.
  return (await ctx.identities.find(identity)) ?? refusal('not_joined')
}

/** Signs in a user through GitHub or Google. If two-step verification is on, there is no session before the second step. */
export async function signInWithProvider({
  ctx,
  input,
}: {
  ctx: GuestCtx<Needs>
  input: ProviderLogin
}): Promise<ProviderOutcome> {
  if ((await ctx.limits.signInAddress.take(ctx.address)) !== null) return refusal('limited')
  const found = await resolveUser(ctx, input)
  if ('outcome' in found) return found
  const secondStep = await ctx.secondSteps.find(found.userId)
  if (secondStep?.confirmedAt) return { outcome: 'second_step', token: await issueToken(ctx, 'second_step', found) }
  return { outcome: 'in', user: found }
}
