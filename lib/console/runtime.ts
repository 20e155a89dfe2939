import { randomBytes } from 'node:crypto'
import type { Pool } from 'pg'
import { formatKey, KEY_RANDOM_BYTES, keyHint } from '../domain/api-key.ts'
import { ID_RANDOM_BYTES, newId } from '../domain/ids.ts'
import { parseDecimal } from '../domain/money.ts'
import type { Env } from '../env.ts'
import { hmacKey } from '../services/key-hash.ts'
import { createPasswords } from '../services/password.ts'
import type { Clock, ConsolePorts, Ids, KeySecrets, Limits, Passwords, Wallet } from '../services/ports.ts'
import { createConsoleStore } from '../store/console-store.ts'
import type { Prisma } from '../store/prisma.ts'
import { createMemoryLimits } from './limits.ts'
import type { ConsoleLog } from './problem.ts'
import { createSessions, type Sessions } from './session.ts'

export interface ConsoleParts {
  env: Pick<Env, 'SIGN_UP' | 'SIGN_UP_CREDIT'>
  pool: Pool
  prisma: Prisma
  wallet: Wallet
  secrets: {
    /** Under which keys are hashed; the gateway must use the same. */
    pepper: Uint8Array
    nextAuthSecret: string
  }
  /** Where the gateway is reached, for example `http://localhost:3000`. Asked anew each time: a port can be chosen late. */
  publicUrl: () => string
  log: ConsoleLog
  /** Stand-ins for tests, or for limits that several machines share. */
  clock?: Clock
  passwords?: Passwords
  limits?: Limits
}

/** What the console's routes need: the ports of every verb, and what stands in front of the verbs. */
export interface Console {
  ports: ConsolePorts
  sessions: Sessions
  nextAuthSecret: string
  publicUrl: () => string
  log: ConsoleLog
  /** Rejects while the database does not answer. */
  ping(): Promise<void>
}

const createIds = (clock: Clock): Ids => ({
  create: (prefix) => newId(prefix, clock.now().getTime(), randomBytes(ID_RANDOM_BYTES)),
})

const createKeySecrets = (pepper: Uint8Array): KeySecrets => ({
  create() {
    const secret = formatKey(randomBytes(KEY_RANDOM_BYTES))
    return { secret, hmac: hmacKey(pepper, secret), hint: keyHint(secret) }
  },
})

/** Builds the console's side of the process. Throws where SIGN_UP_CREDIT is not an amount. */
export function buildConsole(parts: ConsoleParts): Console {
  const { env, pool, prisma, wallet, secrets, publicUrl, log } = parts
  const clock = parts.clock ?? { now: () => new Date() }
  const signUpCreditNano = parseDecimal(env.SIGN_UP_CREDIT)
  if (signUpCreditNano === null) throw new Error('SIGN_UP_CREDIT is not an amount of money')
  const { ping, ...stores } = createConsoleStore({
    pool,
    prisma,
    onDamagedHistory: (requestId, error) =>
      log.warn({ requestId, error: error instanceof Error ? error.message : String(error) }, 'a history cannot be read'),
  })
  return {
    ports: {
      ...stores,
      clock,
      wallet,
      ids: createIds(clock),
      passwords: parts.passwords ?? createPasswords(),
      keySecrets: createKeySecrets(secrets.pepper),
      limits: parts.limits ?? createMemoryLimits(),
      settings: {
        signUp: env.SIGN_UP,
        signUpCreditNano,
        baseUrl: () => `${publicUrl().replace(/\/+$/, '')}/v1`,
      },
    },
    sessions: createSessions({ users: stores.users, secret: secrets.nextAuthSecret, publicUrl }),
    nextAuthSecret: secrets.nextAuthSecret,
    publicUrl,
    log,
    ping,
  }
}
