import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// A first start on an empty data folder that goes when the gateway has stopped.
const dataDir = mkdtempSync(join(tmpdir(), 'tollgate-e2e-'))
process.env.DATA_DIR = dataDir
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
await import('../../server.ts')
