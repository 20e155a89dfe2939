import { buildConsoleOnce } from '../setup/build-console.ts'
import { runCommand } from './database.ts'

await runCommand(async () => {
  await buildConsoleOnce((line) => void process.stdout.write(`${line}\n`))
  return 0
})
