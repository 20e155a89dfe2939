import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Counts, type Report, readReport } from './support/read-report.ts'

/** One step of the test run. */
interface Step {
  name: string
  command: string[]
  /** The tool that writes its counts, as JSON. */
  report?: 'vitest' | 'playwright'
}

const vitest = (...projects: string[]): Pick<Step, 'command' | 'report'> => ({
  command: ['node_modules/vitest/vitest.mjs', 'run', ...projects.flatMap((name) => ['--project', name])],
  report: 'vitest',
})

/** In this order, because the contract and browser tests run against the production build. */
const STEPS: Step[] = [
  { name: 'lint', command: ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.'] },
  {
    name: 'structure',
    command: ['node_modules/dependency-cruiser/bin/dependency-cruiser.mjs', 'app', 'components', 'lib', 'server.ts'],
  },
  { name: 'unused', command: ['node_modules/knip/bin/knip.js', '--no-config-hints'] },
  { name: 'unit', ...vitest('unit', 'structure') },
  { name: 'build', command: ['tests/support/build.ts'] },
  // After the build, which writes its own types for the routes.
  { name: 'types', command: ['node_modules/typescript/bin/tsc', '--noEmit'] },
  { name: 'integration', ...vitest('integration') },
  { name: 'contract', ...vitest('contract') },
  { name: 'chaos', ...vitest('chaos') },
  {
    name: 'browser',
    command: ['node_modules/@playwright/test/cli.js', 'test', '--config', 'tests/e2e/playwright.config.ts'],
    report: 'playwright',
  },
]

const total: Counts = { passed: 0, failed: 0, skipped: 0 }
const times: string[] = []
/** Printed again at the end, where people look. */
const remarks: string[] = []

/** Runs one step and shows its output as it comes. A tool without a report counts as one test. */
async function run({ name, command, report: kind }: Step, reportFile: string): Promise<Report> {
  process.stdout.write(`\n=== ${name}\n`)
  const reporters = kind === 'vitest' ? ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`] : []
  const child = spawn(process.execPath, [...command, ...reporters], {
    stdio: ['ignore', 'inherit', 'inherit'],
    // Hundreds of gateways start here, and all use what the first one has compiled.
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_FILE: reportFile, NODE_COMPILE_CACHE: join(dir, 'compiled') },
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  const failure: Report = { counts: { passed: 0, failed: 1, skipped: 0 }, failed: [`it ended with ${code}`], retried: [] }
  if (!kind) return code === 0 ? { counts: { passed: 1, failed: 0, skipped: 0 }, failed: [], retried: [] } : failure
  const report = await readReport(kind, reportFile)
  // A runner that failed without naming a test (a broken setup, an unhandled error) still counts as failed.
  if (code === 0 || report.counts.failed > 0) return report
  return { ...report, counts: { ...report.counts, failed: 1 }, failed: [...report.failed, ...failure.failed] }
}

const wanted = process.argv.slice(2)
const steps = wanted.length === 0 ? STEPS : STEPS.filter((step) => wanted.includes(step.name))
const unknown = wanted.filter((name) => !STEPS.some((step) => step.name === name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no part "${unknown.join('", "')}". The parts are: ${STEPS.map((step) => step.name).join(', ')}.\n`,
  )
  process.exit(2)
}

const dir = await mkdtemp(join(tmpdir(), 'tollgate-run-'))
for (const step of steps) {
  const started = performance.now()
  const { counts, failed, retried } = await run(step, join(dir, `${step.name}.json`))
  for (const key of ['passed', 'failed', 'skipped'] as const) total[key] += counts[key]
  remarks.push(...failed.map((line) => `FAILED ${step.name}: ${line}`))
  remarks.push(...retried.map((line) => `AT ANOTHER TRY ${step.name}: ${line}`))
  times.push(
    `${step.name.padEnd(12)} ${String(counts.passed).padStart(5)} passed ${counts.failed} failed ${((performance.now() - started) / 1000).toFixed(1)} s`,
  )
}
if (remarks.length > 0) process.stdout.write(`\n${remarks.join('\n')}\n`)
await rm(dir, { recursive: true, force: true })

// In CI a skipped test counts as failed, because nobody has seen it pass.
const failed = total.failed + (process.env.CI === 'true' ? total.skipped : 0)
process.stdout.write(`\n${times.join('\n')}\n\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped\n`)
process.exit(failed > 0 || total.passed === 0 ? 1 : 0)
