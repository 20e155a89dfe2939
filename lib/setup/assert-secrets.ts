import type { Pool } from 'pg'
import { opensCredentials } from '../store/sealed-columns.ts'
import { hasOtherSecretMark } from '../store/secret-mark.ts'
import type { Secrets } from './secrets.ts'

const OTHER_KEYS =
  'SECRET_KEY, CREDENTIALS_KEY: the vendor credentials in this database were sealed with other keys. Start with those of its ' +
  'gateway, or with the DATA_DIR that holds them'
const OTHER_ROOT =
  'SECRET_KEY: the API keys and codes in this database were made with another one, and would be valid at some of its gateways ' +
  'only. Start with that of its gateway, or with the DATA_DIR that holds it. If it is lost, run `delete from secret_mark` in ' +
  'the database: all API keys and codes then have to be made anew'

/** Throws an error for people to read if the gateways of this database have other secrets. */
export async function assertSecrets(pool: Pool, { credentials, mark }: Pick<Secrets, 'credentials' | 'mark'>): Promise<void> {
  if (!(await opensCredentials(pool, credentials))) throw new Error(OTHER_KEYS)
  if (await hasOtherSecretMark(pool, mark)) throw new Error(OTHER_ROOT)
}
