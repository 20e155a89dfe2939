// Writes the typed client into lib/store/generated. The schema engine is a binary that prisma would
// download and that generating does not need, so it is pointed at a program that does nothing.
import { spawnSync } from 'node:child_process'

const { status } = spawnSync(process.execPath, ['node_modules/prisma/build/index.js', 'generate', '--no-hints'], {
  stdio: ['ignore', 'ignore', 'inherit'],
  env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
})
process.exit(status ?? 1)
