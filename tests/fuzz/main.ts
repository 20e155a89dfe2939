import { parseArgs } from 'node:util'
import pg from 'pg'
import { randomSeed } from '../support/random.ts'
import { startServer } from '../support/server.ts'
import { fuzz, tableOf } from './fuzz.ts'

const printLine = (line: string): void => void process.stdout.write(`${line}\n`)
const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: randomSeed() },
    from: { type: 'string', default: '0' },
  },
})

printLine(`npm run fuzz -- --seed ${values.seed} --requests ${values.requests}`)
const server = await startServer({ fsync: false })
const pool = new pg.Pool({ connectionString: server.url, max: 4 })
pool.on('error', () => undefined)
let wrong = ['the run did not end']
// Ctrl-C reaches the gateway by itself, because it belongs to this terminal. The database has to be told.
process.once('SIGINT', () => process.exit(130))
try {
  const started = performance.now()
  const [requests, from] = [Number(values.requests), Number(values.from)]
  const report = await fuzz({ pool, databaseUrl: server.url, seed: values.seed, requests, from, log: printLine })
  wrong = report.wrong
  for (const line of [...tableOf(report), ...wrong]) printLine(line)
  const memory = `${Math.round(Math.max(...report.rssBytes) / 2 ** 20)} MiB`
  const seconds = Math.round((performance.now() - started) / 1000)
  printLine(`${requests} requests in ${seconds} s, seed ${values.seed}, at most ${memory}: ${wrong.length} things wrong`)
} finally {
  await pool.end()
  await server.stop()
}
process.exit(wrong.length === 0 ? 0 : 1)
