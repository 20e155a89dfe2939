import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { makeFolders } from '#lib/setup/make-folders'

// Bytes that pass through count towards V8's one limit, which grows with what is kept. By a limit of their own, of 64 MB,
// the whole heap is looked through several times a second where answers are long.
setFlagsFromString('--external-memory-accounted-in-global-limit')
process.chdir(import.meta.dirname)
// What Node has read and V8 compiled at one start serves the next. It holds for what is imported from here on.
try {
  const compiled = join(process.env.DATA_DIR?.trim() || '.data', 'compiled')
  makeFolders(compiled)
  enableCompileCache(compiled)
} catch {
  // What is wrong with the folder, the start says in words of its own.
}
const { startProcess } = await import('#lib/process')
await startProcess()
