import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deriveSecrets, secretsOf } from './secrets.ts'

it('a root secret that could not be written is not taken for one by the next start', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-secrets-'))
  try {
    const program = `import { secretsOf } from ${JSON.stringify(join(import.meta.dirname, 'secrets.ts'))}
      await secretsOf({ DATA_DIR: ${JSON.stringify(dir)} }).catch((error) => console.log(error.message))`
    // No file can grow, as on a full disk.
    const limited = ['-c', 'ulimit -f 0; exec "$0" --input-type=module -e "$1"', process.execPath, program]
    const { stdout } = spawnSync('sh', limited, { encoding: 'utf8' })
    expect(stdout).toMatch(/^DATA_DIR: .*secret-key cannot be written: EFBIG/)
    expect(await readdir(dir)).toEqual([])
    const made = await secretsOf({ DATA_DIR: dir })
    expect((await secretsOf({ DATA_DIR: dir })).pepper).toEqual(made.pepper)
    expect(made.pepper).not.toEqual(deriveSecrets('0'.repeat(64)).pepper)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
})
