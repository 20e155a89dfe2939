import { enableCompileCache } from 'node:module'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { makeFolders } from '#lib/setup/make-folders'

// Counts external memory, which includes the bytes that pass through, towards V8's global limit, which grows with what is kept.
// Under its own limit of 64 MB, V8 would scan the whole heap several times a second when responses are long.
setFlagsFromString('--external-memory-accounted-in-global-limit')
process.chdir(import.meta.dirname)
// The cache of compiled code speeds up the next start. It applies to modules that are imported from here on.
try {
  const compiled = join(process.env.DATA_DIR?.trim() || '.data', 'compiled')
  makeFolders(compiled)
  enableCompileCache(compiled)
} catch {
  // If the folder is unusable, the start reports that with its own message.
}
const { startProcess } = await import('#lib/process')
await startProcess()
