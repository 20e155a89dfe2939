import { parseArgs } from 'node:util'
import { randomSeed } from '../support/random.ts'
import { runChaos, tablesOf } from './run.ts'

const printLine = (line: string): void => void process.stdout.write(`${line}\n`)
const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '1000' },
    seed: { type: 'string', default: randomSeed() },
    /** The number of workers of each gateway. */
    workers: { type: 'string' },
  },
})

// Ctrl-C ends the faults. Everything that was started is still healed, judged and stopped. A second Ctrl-C exits at once.
const interruption = new AbortController()
process.once('SIGINT', () => {
  interruption.abort()
  process.once('SIGINT', () => process.exit(130))
})

printLine(`npm run chaos -- --faults ${values.faults} --seed ${values.seed}`)
const started = performance.now()
const env: Record<string, string> = values.workers ? { WORKERS: values.workers } : {}
const report = await runChaos({
  seed: values.seed,
  faults: Number(values.faults),
  log: printLine,
  signal: interruption.signal,
  env,
})
for (const line of tablesOf(report)) printLine(line)
const sum = (rows: ReadonlyMap<string, number>) => [...rows.values()].reduce((total, count) => total + count, 0)
const minutes = ((performance.now() - started) / 60_000).toFixed(1)
printLine(
  `\n${sum(report.faults)} faults, ${sum(report.outcomes)} requests, ${minutes} minutes, seed ${values.seed}: ${report.problems.length} things wrong`,
)
process.exit(report.problems.length === 0 ? 0 : 1)
