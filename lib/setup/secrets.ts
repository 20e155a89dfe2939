import { hkdfSync, randomBytes } from 'node:crypto'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Env } from '../env.ts'

/** Keys that this gateway derives from one root secret; losing the root loses all of them. */
export interface Secrets {
  /** Under which API keys are hashed. */
  pepper: Buffer
  /** With which vendor credentials are sealed. */
  sealing: Buffer
  nextAuthSecret: string
}

const derive = (root: Buffer, purpose: string): Buffer => Buffer.from(hkdfSync('sha256', root, 'tollgate', purpose, 32))

/** Derives the keys from 64 hexadecimal digits; NEXTAUTH_SECRET overrides its own. */
export function deriveSecrets(rootHex: string, nextAuthSecret?: string): Secrets {
  const root = Buffer.from(rootHex, 'hex')
  return {
    pepper: derive(root, 'api keys'),
    sealing: derive(root, 'vendor credentials'),
    nextAuthSecret: nextAuthSecret ?? derive(root, 'sessions').toString('hex'),
  }
}

/** Makes the data folder, which others may pass through (the database runs as another user) but not list. */
export async function openDataDir(dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true })
  await chmod(dataDir, 0o711)
}

/** The root secret of `.data/secret-key`, made at the first start and readable by its owner only. */
async function rootSecret(dataDir: string): Promise<string> {
  await openDataDir(dataDir)
  const path = join(dataDir, 'secret-key')
  try {
    // Exclusive: of two first starts one makes it, the other reads it.
    await writeFile(path, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error
  }
  const text = (await readFile(path, 'utf8')).trim()
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new Error(
      `${path} does not hold a key of 64 hexadecimal digits. Restore it from a backup: without it no API key and no vendor credential can be read.`,
    )
  return text
}

/** The secrets of this gateway, from its settings or its data folder. */
export async function secretsOf(env: Pick<Env, 'SECRET_KEY' | 'NEXTAUTH_SECRET' | 'DATA_DIR'>): Promise<Secrets> {
  return deriveSecrets(env.SECRET_KEY ?? (await rootSecret(env.DATA_DIR)), env.NEXTAUTH_SECRET)
}
