import type { Pool } from 'pg'
import type { Credentials, Identities, OneTimeTokens, SecondSteps, UserSessions } from '../../services/sign-in/sign-in-ports.ts'
import type { PrismaClient } from '../generated/client.ts'
import type { Keyring } from '../seal.ts'
import { createCredentials } from './credentials.ts'
import { createIdentities } from './identities.ts'
import { createSecondSteps } from './second-steps.ts'
import { createUserSessions } from './sessions.ts'
import { createOneTimeTokens } from './tokens.ts'

export interface SignInStore {
  userSessions: UserSessions
  oneTimeTokens: OneTimeTokens
  userCredentials: Credentials
  secondSteps: SecondSteps
  identities: Identities
}

export interface SignInStoreParts {
  pool: Pool
  prisma: PrismaClient
  /** Seals the secrets of authenticator apps. */
  sealing: Keyring
}

/** Everything that the database stores about signing in. */
export function createSignInStore({ pool, prisma, sealing }: SignInStoreParts): SignInStore {
  return {
    userSessions: createUserSessions(pool),
    oneTimeTokens: createOneTimeTokens(pool, prisma),
    userCredentials: createCredentials(pool, prisma),
    secondSteps: createSecondSteps(pool, sealing),
    identities: createIdentities(pool, prisma),
  }
}
