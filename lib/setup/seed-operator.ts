import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { BUILT_IN_DEFAULTS } from '../contracts/settings.ts'
import { formatKey, KEY_RANDOM_BYTES, keyHint } from '../domain/api-key.ts'
import { hmacKey } from '../services/keys/key-hash.ts'
import { createPasswords } from '../services/sign-in/password.ts'
import { createConsoleStore } from '../store/console/console-store.ts'
import { createPrisma } from '../store/prisma.ts'
import { DEFAULT_GROUP } from '../store/seed-store.ts'
import type { Secrets } from './secrets.ts'
import { seedId } from './seed-context.ts'

/** What the first start created, to be shown once. */
export interface FirstStart {
  email: string
  password: string
  apiKey: string
}

const OPERATOR_EMAIL = 'operator@localhost.localdomain'
/** The initial balance of the operator's account, so that the first request works. */
const FIRST_CREDIT_NANO = 100_000_000_000n

/**
 * Creates the operator and the first key, of which the database has only hashes. `saveFirstStart` stores both before the database does, so
 * that neither is lost if the start is interrupted in between. Returns null if the operator could not be created.
 */
export async function seedOperator(
  pool: pg.Pool,
  secrets: Secrets,
  saveFirstStart: (firstStart: FirstStart) => Promise<void>,
): Promise<FirstStart | null> {
  const store = createConsoleStore({ pool, prisma: createPrisma(pool), onDamagedHistory: () => undefined })
  const password = randomBytes(12).toString('base64url')
  const apiKey = formatKey(randomBytes(KEY_RANDOM_BYTES))
  const first = { email: OPERATOR_EMAIL, password, apiKey }
  const [accountId, keyId, at] = [seedId('acc'), seedId('key'), new Date()]
  await saveFirstStart(first)
  const outcome = await store.accounts.create({
    accountId,
    userId: seedId('usr'),
    name: 'Operator',
    email: OPERATOR_EMAIL,
    passwordHash: await createPasswords().hash(password),
    role: 'owner',
    at,
    // No mail is sent to this address, and the person who created it is at the machine.
    emailVerified: true,
    locale: 'en',
    creditNano: FIRST_CREDIT_NANO,
    historyDays: BUILT_IN_DEFAULTS.historyDays,
  })
  if (outcome !== 'created') return null
  await store.keys.create(
    {
      id: keyId,
      name: 'First key',
      hint: keyHint(apiKey),
      createdAt: at,
      expiresAt: null,
      limitTotalNano: null,
      limitMonthNano: null,
      modelAllow: [],
      addressAllow: [],
      rpm: null,
      tpm: null,
      historyEnabled: true,
      accountId,
      groupId: DEFAULT_GROUP,
      secretHmac: hmacKey(secrets.pepper, apiKey),
    },
    1,
  )
  return first
}
