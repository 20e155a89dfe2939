import { backUp } from '../setup/backup.ts'
import { parseFolderArgument } from './command.ts'
import { withDatabase } from './database.ts'

const USAGE =
  'Usage: npm run backup -- FOLDER     a folder that does not exist yet, for example: npm run backup -- ../backups/2026-11-24'
const printLine = (line: string): void => void process.stdout.write(`${line}\n`)

const stopController = new AbortController()
// Otherwise the server that was started to check the copy would keep running.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopController.abort(new Error('Stopped. The incomplete backup was removed.')))

await withDatabase(
  { usage: USAGE, parseArguments: parseFolderArgument, allowOlderSchema: true },
  async ({ input: folder, env, embedded }) => {
    const report = await backUp({
      dataDir: env.DATA_DIR,
      folder,
      embedded,
      hasExternalSecret: env.SECRET_KEY !== undefined,
      printLine,
      signal: stopController.signal,
    })
    if (report) printLine(report.lines.at(-1) ?? '')
    else if (!embedded)
      printLine(
        'The database is the one at DATABASE_URL and is not in this backup. Back it up with its own tools, such as pg_dump.',
      )
    if (env.SECRET_KEY)
      printLine('SECRET_KEY is among your settings: keep it with the backup. Without it no API key can be read.')
    if (env.S3_BUCKET) printLine(`Files that models made are in the bucket ${env.S3_BUCKET}, and not in this backup.`)
    if (report?.balanced === false) return 1
    printLine(
      `${folder} is a complete backup. It contains secrets, so keep it as safe as the gateway. To restore it: npm run restore -- ${folder}`,
    )
    return 0
  },
)
