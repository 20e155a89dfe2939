import { ensureConsoleBuilt } from './ensure-console-built.ts'

await ensureConsoleBuilt()
