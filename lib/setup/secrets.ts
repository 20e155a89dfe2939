import { hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Env } from '../env.ts'
import { flush } from '../store/embedded/copy-tree.ts'
import { createKeyring, type Keyring } from '../store/seal.ts'
import { makeFolders } from './make-folders.ts'
import { reasonOf } from './reason.ts'

/** Keys that this gateway derives from one root secret; losing the root loses all of them. */
export interface Secrets {
  /** Under which API keys are hashed. */
  pepper: Buffer
  /** The key derived from the root with which secrets are sealed until they get keys of their own. */
  sealing: Buffer
  /**
   * What seals vendor credentials and the secrets of authenticator apps and webhooks, and opens them: keys of their own,
   * newest first, then the derived one.
   */
  credentials: Keyring
  /** With which the addresses of files are signed. */
  files: Buffer
  nextAuthSecret: string
}

const derive = (root: Buffer, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', root, 'tollgate', purpose, 32))

/** Derives the keys from 64 hexadecimal digits; NEXTAUTH_SECRET overrides its own. */
export function deriveSecrets(rootHex: string, nextAuthSecret?: string): Secrets {
  const root = Buffer.from(rootHex, 'hex')
  const sealing = derive(root, 'vendor credentials')
  return {
    pepper: derive(root, 'api keys'),
    sealing,
    credentials: createKeyring([sealing]),
    files: derive(root, 'file addresses'),
    nextAuthSecret: nextAuthSecret ?? derive(root, 'sessions').toString('hex'),
  }
}

/** Makes the data folder, which others may pass through (the database runs as another user) but not list. */
export async function openDataDir(dataDir: string): Promise<void> {
  makeFolders(dataDir)
  await chmod(dataDir, 0o711)
}

/** The root secret of `.data/secret-key`, made at the first start and readable by its owner only. */
async function rootSecret(dataDir: string): Promise<string> {
  await openDataDir(dataDir)
  const path = join(dataDir, 'secret-key')
  try {
    // Exclusive: of two first starts one makes it, the other reads it.
    await writeFile(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await flush(dataDir)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') {
      // Half of it, as a full disk leaves it, would be no key at the next start.
      await rm(path, { force: true })
      throw new Error(`DATA_DIR: ${path} cannot be written: ${reasonOf(error)}`, { cause: error })
    }
  }
  const text = (await readFile(path, 'utf8')).trim()
  if (!/^[0-9a-f]{64}$/i.test(text))
    throw new Error(
      `${path} does not hold a key of 64 hexadecimal digits. Restore it from a backup: without it no API key and no vendor credential can be read.`,
    )
  return text
}

/** The secrets of this gateway, from its settings or its data folder. */
export async function secretsOf(env: SecretsEnv): Promise<Secrets> {
  const secrets = deriveSecrets(env.SECRET_KEY ?? (await rootSecret(env.DATA_DIR)), env.NEXTAUTH_SECRET)
  const keys = () => [...credentialKeys(env), secrets.sealing]
  return { ...secrets, credentials: createKeyring(keys(), keys) }
}

/**
 * The secrets of a gateway that is there already, for those who work beside it. Errors: where it has none here. With new ones
 * nothing could be read that it has kept, nor could it read what is kept with them.
 */
export async function existingSecrets(env: SecretsEnv): Promise<Secrets> {
  const path = join(env.DATA_DIR, 'secret-key')
  if (env.SECRET_KEY === undefined && readIfThere(path) === '')
    throw new Error(
      `${resolve(path)} is not there, and SECRET_KEY is not set: name the DATA_DIR or the SECRET_KEY of the gateway.`,
    )
  return await secretsOf(env)
}

type SecretsEnv = Pick<Env, 'SECRET_KEY' | 'CREDENTIALS_KEY' | 'NEXTAUTH_SECRET' | 'DATA_DIR'>

/** Where keys of credentials are kept that did not come from the environment, newest first, one to a line. */
export const credentialsKeyPath = (dataDir: string): string => join(dataDir, 'credentials-key')

/** The keys of credentials, newest first; none where they are sealed with the one derived from the root. */
export function credentialKeys(env: Pick<Env, 'CREDENTIALS_KEY' | 'DATA_DIR'>): Buffer[] {
  const text = env.CREDENTIALS_KEY ?? readIfThere(credentialsKeyPath(env.DATA_DIR))
  const keys = text.split(/[\s,]+/).filter((line) => line !== '')
  if (keys.some((key) => !/^[0-9a-f]{64}$/i.test(key)))
    throw new Error(`${credentialsKeyPath(env.DATA_DIR)} does not hold keys of 64 hexadecimal digits. Restore it from a backup.`)
  return keys.map((key) => Buffer.from(key, 'hex'))
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return ''
    throw error
  }
}
