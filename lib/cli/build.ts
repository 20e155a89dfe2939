import { buildConsoleIfStale } from '../setup/build-console.ts'
import { commandWithoutArguments, runCommand } from './command.ts'

const command = commandWithoutArguments(
  'Usage: npm run build     builds the console unless it is already built from these sources',
)

await runCommand(command, async () => {
  await buildConsoleIfStale((line) => void process.stdout.write(`${line}\n`))
  return 0
})
