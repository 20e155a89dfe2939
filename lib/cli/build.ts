import { buildConsoleOnce } from '../setup/build-console.ts'
import { runCommand, takesNothing } from './command.ts'

const command = takesNothing('Usage: npm run build     builds the console unless it is already built from these sources')

await runCommand(command, async () => {
  await buildConsoleOnce((line) => void process.stdout.write(`${line}\n`))
  return 0
})
