import { restore } from '../setup/backup.ts'
import { parseFolderArgument, runCommand } from './command.ts'

const USAGE = 'Usage: npm run restore -- FOLDER     a folder made by npm run backup'
const printLine = (line: string): void => void process.stdout.write(`${line}\n`)

await runCommand({ usage: USAGE, parseArguments: parseFolderArgument }, async (folder, env) => {
  if (env.DATABASE_URL) printLine('The database is the one at DATABASE_URL, which is not changed.')
  const { backup, report } = await restore({
    folder,
    dataDir: env.DATA_DIR,
    withDatabase: !env.DATABASE_URL,
    printLine,
  })
  if (report) printLine(report.lines.join('\n'))
  printLine(`The gateway is restored to its state at ${backup.begunAt}.`)
  // Before the gateway starts: it would charge saved cards again for what has been paid since.
  if (report && env.STRIPE_SECRET_KEY)
    printLine(`Before you start it, book the payments made since: npm run payments -- --since ${backup.begunAt}`)
  printLine('Start it with the same settings: npm start')
  return report?.balanced === false ? 1 : 0
})
