import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { credentialKeys, credentialsKeyPath, secretsOf } from '../setup/secrets.ts'
import { createKeyring } from '../store/seal.ts'
import { resealAll } from '../store/sealed-columns.ts'
import { withDatabase } from './database.ts'

/** Never half a file: another process may read it at any moment. */
async function write(path: string, keys: readonly Buffer[]): Promise<void> {
  await writeFile(`${path}.next`, `${keys.map((key) => key.toString('hex')).join('\n')}\n`, { mode: 0o600 })
  await rename(`${path}.next`, path)
}

await withDatabase(async (pool, env) => {
  const { sealing } = await secretsOf(env)
  const known = credentialKeys(env)
  if (env.CREDENTIALS_KEY !== undefined) {
    // The first key of the environment is the new one, those behind it are old.
    const count = await resealAll(pool, createKeyring([...known, sealing]))
    process.stdout.write(`${count} secrets are sealed with the first key of CREDENTIALS_KEY. The others can go from it.\n`)
    return 0
  }
  const path = credentialsKeyPath(env.DATA_DIR)
  const fresh = randomBytes(32)
  // Kept before anything is sealed with it, and the old ones until nothing is sealed with them any more.
  await write(path, [fresh, ...known])
  const count = await resealAll(pool, createKeyring([fresh, ...known, sealing]))
  await write(path, [fresh])
  process.stdout.write(`${count} secrets are sealed with a new key, which is in ${path}. Running gateways go on with it.\n`)
  return 0
})
