import { restore } from '../setup/backup.ts'
import { oneFolder, runCommand } from './command.ts'

const USAGE = 'Usage: npm run restore -- FOLDER     a folder made by npm run backup'
const say = (line: string): void => void process.stdout.write(`${line}\n`)

await runCommand({ usage: USAGE, read: oneFolder }, async (folder, env) => {
  if (env.DATABASE_URL) say('The database is the one at DATABASE_URL, which is not changed.')
  const { backup, report } = await restore({
    folder,
    dataDir: env.DATA_DIR,
    withDatabase: !env.DATABASE_URL,
    say,
  })
  if (report) say(report.lines.join('\n'))
  say(`The gateway is restored to its state at ${backup.begunAt}.`)
  // Before the gateway starts: it would charge saved cards again for what has been paid since.
  if (report && env.STRIPE_SECRET_KEY)
    say(`Before you start it, book the payments made since: npm run payments -- --since ${backup.begunAt}`)
  say('Start it with the same settings: npm start')
  return report?.balanced === false ? 1 : 0
})
