import type { OAuthConfig } from 'next-auth/providers/oauth'
import { fetch } from 'undici'
import { z } from 'zod'
import type { Provider } from '../contracts/sign-in.ts'
import type { Env } from '../env.ts'

export type ProviderEnv = Pick<
  Env,
  'GITHUB_CLIENT_ID' | 'GITHUB_CLIENT_SECRET' | 'GITHUB_BASE_URL' | 'GOOGLE_CLIENT_ID' | 'GOOGLE_CLIENT_SECRET' | 'GOOGLE_ISSUER'
>

/** What a provider says about a person, in our format. */
export interface Person {
  id: string
  name: string
  /** In lower case; missing if the provider has verified none. */
  email?: string
}

const personOf = (id: string, name: string, email: string | undefined): Person => ({
  id,
  name,
  ...(email === undefined ? {} : { email: email.toLowerCase() }),
})

const githubUser = z.object({ id: z.number(), login: z.string(), name: z.string().nullish() })
const githubEmails = z.array(z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }))
const googleClaims = z.object({
  sub: z.string(),
  name: z.string().nullish(),
  email: z.string().nullish(),
  email_verified: z.union([z.boolean(), z.enum(['true', 'false'])]).nullish(),
})

const TIMEOUT_MS = 10_000

/** The settings that are the same for every provider, with our client id and secret at this one. */
const clientSettingsOf = (clientId: string, clientSecret: string) => ({
  type: 'oauth' as const,
  checks: ['pkce', 'state'] as ['pkce', 'state'],
  /** No profile images: browsers would fetch them from another site. */
  profile: (given: Person) => ({ ...given, email: given.email ?? null, image: null }),
  httpOptions: { timeout: TIMEOUT_MS },
  clientId,
  clientSecret,
})

async function fetchFromGithub(url: string, token: string | undefined): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, accept: 'application/vnd.github+json', 'user-agent': 'tollgate' }
  const answer = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS), redirect: 'error' })
  if (!answer.ok) throw new Error(`GitHub answered ${answer.status}`)
  return answer.json()
}

/**
 * GitHub, or a GitHub Enterprise server. The email address in a profile is the public one. Only the list of addresses says
 * which one is primary and verified (https://docs.github.com/en/rest/users/emails).
 */
function github(base: string, clientId: string, clientSecret: string): OAuthConfig<Person> {
  const api = base === 'https://github.com' ? 'https://api.github.com' : `${base}/api/v3`
  return {
    ...clientSettingsOf(clientId, clientSecret),
    id: 'github',
    name: 'GitHub',
    issuer: `${base}/login/oauth`,
    authorization: { url: `${base}/login/oauth/authorize`, params: { scope: 'read:user user:email' } },
    token: `${base}/login/oauth/access_token`,
    userinfo: {
      url: `${api}/user`,
      async request({ tokens }) {
        const [user, emails] = await Promise.all([
          fetchFromGithub(`${api}/user`, tokens.access_token).then((given) => githubUser.parse(given)),
          fetchFromGithub(`${api}/user/emails?per_page=100`, tokens.access_token).then((given) => githubEmails.parse(given)),
        ])
        const email = emails.find((each) => each.primary && each.verified)?.email
        return personOf(String(user.id), user.name || user.login, email)
      },
    },
  }
}

/** Google, whose signed token says who the user is and whether the email address is verified. */
function google(issuer: string, clientId: string, clientSecret: string): OAuthConfig<Person> {
  return {
    ...clientSettingsOf(clientId, clientSecret),
    id: 'google',
    name: 'Google',
    wellKnown: `${issuer}/.well-known/openid-configuration`,
    authorization: { params: { scope: 'openid email profile' } },
    idToken: true,
    userinfo: {
      async request({ tokens }) {
        const { sub, name, email, email_verified: verified } = googleClaims.parse((tokens as { claims(): unknown }).claims())
        const verifiedEmail = email && String(verified) === 'true' ? email : undefined
        return personOf(sub, name || (email ?? ''), verifiedEmail)
      },
    },
  }
}

/** The providers that are configured, with their ids. */
export function providersOf(env: ProviderEnv): { id: Provider; config: OAuthConfig<Person> }[] {
  const { GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET, GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET } = env
  const found: { id: Provider; config: OAuthConfig<Person> }[] = []
  const withoutTrailingSlashes = (url: string) => url.replace(/\/+$/, '')
  if (GITHUB_CLIENT_ID && GITHUB_CLIENT_SECRET)
    found.push({
      id: 'github',
      config: github(withoutTrailingSlashes(env.GITHUB_BASE_URL), GITHUB_CLIENT_ID, GITHUB_CLIENT_SECRET),
    })
  if (GOOGLE_CLIENT_ID && GOOGLE_CLIENT_SECRET)
    found.push({
      id: 'google',
      config: google(withoutTrailingSlashes(env.GOOGLE_ISSUER), GOOGLE_CLIENT_ID, GOOGLE_CLIENT_SECRET),
    })
  return found
}
