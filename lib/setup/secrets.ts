import { hkdfSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { chmod, readFile, rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Env } from '../env.ts'
import { flush } from '../store/embedded/copy-tree.ts'
import { createKeyring, type Keyring } from '../store/seal.ts'
import { reasonOf } from './error-reason.ts'
import { makeFolders } from './make-folders.ts'

/** The keys that this gateway derives from one root secret. If the root is lost, all of them are lost. */
export interface Secrets {
  /** The key with which API keys are hashed. */
  pepper: Buffer
  /** The key, derived from the root, that seals secrets until they get keys of their own. */
  sealing: Buffer
  /**
   * Seals and opens vendor credentials and the secrets of authenticator apps and webhooks, with keys of their own, newest first,
   * and then the derived key.
   */
  credentials: Keyring
  /** The key with which the addresses of files are signed. */
  files: Buffer
  nextAuthSecret: string
  /** Tells a database which root its gateways have. Nothing can be opened with it. */
  mark: Buffer
}

const derive = (root: Buffer, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', root, 'tollgate', purpose, 32))

/** Derives the keys from 64 hexadecimal digits. NEXTAUTH_SECRET overrides the derived one. */
export function deriveSecrets(rootHex: string, nextAuthSecret?: string): Secrets {
  const root = Buffer.from(rootHex, 'hex')
  const sealing = derive(root, 'vendor credentials')
  return {
    pepper: derive(root, 'api keys'),
    sealing,
    credentials: createKeyring([sealing]),
    files: derive(root, 'file addresses'),
    nextAuthSecret: nextAuthSecret ?? derive(root, 'sessions').toString('hex'),
    mark: derive(root, 'mark'),
  }
}

/** Creates the data folder. Other users may pass through it, because the database runs as another user, but not list it. */
export async function openDataDir(dataDir: string): Promise<void> {
  makeFolders(dataDir)
  await chmod(dataDir, 0o711)
}

/** The root secret in `.data/secret-key`, created at the first start and readable only by its owner. */
async function readOrCreateRootSecret(dataDir: string): Promise<string> {
  await openDataDir(dataDir)
  const path = join(dataDir, 'secret-key')
  try {
    // Exclusive: if two first starts run at once, one creates the file and the other one reads it.
    await writeFile(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await flush(dataDir)
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') {
      // Half a key, as a full disk leaves it, would be invalid at the next start.
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
  const secrets = deriveSecrets(env.SECRET_KEY ?? (await readOrCreateRootSecret(env.DATA_DIR)), env.NEXTAUTH_SECRET)
  const keys = () => [...readCredentialKeys(env), secrets.sealing]
  return { ...secrets, credentials: createKeyring(keys(), keys) }
}

/**
 * The secrets of an existing gateway, for programs that work beside it. Throws if the gateway has none here: new secrets could
 * not open what the gateway has stored, and the gateway could not open what is sealed with them.
 */
export async function readExistingSecrets(env: SecretsEnv): Promise<Secrets> {
  const path = join(env.DATA_DIR, 'secret-key')
  if (env.SECRET_KEY === undefined && readIfExists(path) === '')
    throw new Error(
      `${resolve(path)} is not there, and SECRET_KEY is not set: name the DATA_DIR or the SECRET_KEY of the gateway.`,
    )
  return await secretsOf(env)
}

type SecretsEnv = Pick<Env, 'SECRET_KEY' | 'CREDENTIALS_KEY' | 'NEXTAUTH_SECRET' | 'DATA_DIR'>

/** The file of credential keys that do not come from the environment: newest first, one per line. */
export const credentialsKeyPath = (dataDir: string): string => join(dataDir, 'credentials-key')

/** The credential keys, newest first. Empty if credentials are sealed with the key that is derived from the root. */
export function readCredentialKeys(env: Pick<Env, 'CREDENTIALS_KEY' | 'DATA_DIR'>): Buffer[] {
  const text = env.CREDENTIALS_KEY ?? readIfExists(credentialsKeyPath(env.DATA_DIR))
  const keys = text.split(/[\s,]+/).filter((line) => line !== '')
  if (keys.some((key) => !/^[0-9a-f]{64}$/i.test(key)))
    throw new Error(`${credentialsKeyPath(env.DATA_DIR)} does not hold keys of 64 hexadecimal digits. Restore it from a backup.`)
  return keys.map((key) => Buffer.from(key, 'hex'))
}

function readIfExists(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return ''
    throw error
  }
}
