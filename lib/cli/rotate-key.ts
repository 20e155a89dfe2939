import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Env } from '../env.ts'
import { credentialsKeyPath, readCredentialKeys } from '../setup/secrets.ts'
import { flush } from '../store/embedded/copy-tree.ts'
import { createKeyring } from '../store/seal.ts'
import { resealAll } from '../store/sealed-columns.ts'
import { withSeedLock } from '../store/seed-store.ts'
import { commandWithoutArguments } from './command.ts'
import { openSecrets, withDatabase } from './database.ts'

/** After this long, everything that a gateway has sealed with an old key is in the database, where resealing finds it. */
const IN_FLIGHT_MS = 2000

/**
 * Writes the keys to a file, which is never incomplete, because another process may read it at any time. It is on disk before
 * anything depends on it.
 */
async function writeKeys(path: string, keys: readonly Buffer[]): Promise<void> {
  const text = `${keys.map((key) => key.toString('hex')).join('\n')}\n`
  await writeFile(`${path}.next`, text, { mode: 0o600, flush: true })
  await rename(`${path}.next`, path)
  await flush(dirname(path))
}

const describeSealed = (count: number): string => (count === 1 ? '1 secret is' : `${count} secrets are`)

/** Seals all secrets with a new key. Returns a line that says what was done. */
async function rotate(pool: Pool, env: Env): Promise<string> {
  const { sealing } = await openSecrets(pool, env)
  const known = readCredentialKeys(env)
  if (env.CREDENTIALS_KEY !== undefined) {
    // The first key of the environment is the new one, the others are old.
    const count = await resealAll(pool, createKeyring([...known, sealing]))
    return `${describeSealed(count)} sealed with the first key of CREDENTIALS_KEY. You can remove the other keys from it.`
  }
  const path = credentialsKeyPath(env.DATA_DIR)
  const newKey = randomBytes(32)
  // The new key is stored before anything is sealed with it, and the old ones until nothing is sealed with them.
  await writeKeys(path, [newKey, ...known])
  await sleep(IN_FLIGHT_MS)
  const count = await resealAll(pool, createKeyring([newKey, ...known, sealing]))
  await writeKeys(path, [newKey])
  return `${describeSealed(count)} sealed with a new key, which is in ${path}. Running gateways use it from now on.`
}

const command = commandWithoutArguments('Usage: npm run rotate-key     seals all secrets with a new key, while gateways run')

await withDatabase(command, async ({ pool, env }) => {
  // One at a time: two rotations would each seal with a key that the other one drops.
  process.stdout.write(`${await withSeedLock(pool, () => rotate(pool, env))}\n`)
  return 0
})
