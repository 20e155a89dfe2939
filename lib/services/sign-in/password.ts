import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { createQueue } from '../../domain/queue.ts'
import type { Passwords } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/** Cost of scrypt: 2^logN blocks of r * 128 bytes, p times. 2^15, 8, 3 uses 32 MB and is OWASP's choice for that much memory. */
export interface ScryptCost {
  logN: number
  r: number
  p: number
}

const DEFAULT_COST: ScryptCost = { logN: 15, r: 8, p: 3 }
const HASH_BYTES = 32
const SALT_BYTES = 16
/** scrypt runs on the thread pool that files and zlib share. Two at once leave half of it to the gateway. */
const MAX_CONCURRENT_HASHES = 2
const MAX_WAITING = 32
const BUSY_RETRY_MS = 2000

function derive(password: string, salt: Buffer, { logN, r, p }: ScryptCost): Promise<Buffer> {
  const maxmem = 128 * r * (2 ** logN + p + 2) + 1024
  return new Promise((resolve, reject) => {
    // Different keyboards can produce different code points for the same letter.
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, { N: 2 ** logN, r, p, maxmem }, (error, hash) =>
      error ? reject(error) : resolve(hash),
    )
  })
}

const createTooBusyError = () =>
  new ServiceError('rate_limit_exceeded', 'Too many people are signing in right now. Try again in a few seconds.', {
    retryAfterMs: BUSY_RETRY_MS,
  })

const encode = ({ logN, r, p }: ScryptCost, salt: Buffer, hash: Buffer): string =>
  ['scrypt', logN, r, p, salt.toString('base64url'), hash.toString('base64url')].join('$')

function decode(stored: string): { cost: ScryptCost; salt: Buffer; hash: Buffer } {
  const match = /^scrypt\$(\d{1,2})\$(\d{1,2})\$(\d{1,2})\$([\w-]+)\$([\w-]+)$/.exec(stored)
  if (!match) throw new Error('a stored password has an unknown form')
  const [, logN, r, p, salt = '', hash = ''] = match
  return {
    cost: { logN: Number(logN), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64url'),
    hash: Buffer.from(hash, 'base64url'),
  }
}

/** Stores passwords as scrypt hashes, each with its own salt and the cost it was made with. */
export function createPasswords(cost: ScryptCost = DEFAULT_COST): Passwords {
  const enqueue = createQueue(MAX_CONCURRENT_HASHES, { waiting: MAX_WAITING, createError: createTooBusyError })
  return {
    // A random "hash" matches no password that anybody could find.
    decoy: encode(cost, randomBytes(SALT_BYTES), randomBytes(HASH_BYTES)),
    hash: (password) =>
      enqueue(async () => {
        const salt = randomBytes(SALT_BYTES)
        return encode(cost, salt, await derive(password, salt, cost))
      }),
    verify: (password, stored) =>
      enqueue(async () => {
        const { cost: storedCost, salt, hash } = decode(stored)
        const actual = await derive(password, salt, storedCost)
        return hash.length === actual.length && timingSafeEqual(hash, actual)
      }),
  }
}
