import { readFile } from 'node:fs/promises'
import { stripVTControlCharacters } from 'node:util'

export interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** The content of a runner's JSON report: its counts, and the names of tests that failed or needed a retry. */
export interface Report {
  counts: Counts
  failed: string[]
  retried: string[]
}

interface VitestReport {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  numTodoTests: number
  testResults: VitestFile[]
}

interface VitestFile {
  name: string
  status: string
  /** Why the file could not be run. Empty if only the setup of a group in it failed. */
  message: string
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
}

interface PlaywrightSuite {
  suites?: PlaywrightSuite[]
  specs?: { file: string; title: string; tests: { status: string; results: { error?: { message?: string } }[] }[] }[]
}

interface PlaywrightReport extends PlaywrightSuite {
  stats: { expected: number; flaky: number; unexpected: number; skipped: number }
}

const NONE: Report = { counts: { passed: 0, failed: 0, skipped: 0 }, failed: [], retried: [] }
const MAX_REASON_LENGTH = 300

const lineOf = (name: string, reason = 'no reason given'): string =>
  `${name}: ${stripVTControlCharacters(reason).split('\n').slice(0, 3).join(' ').slice(0, MAX_REASON_LENGTH)}`

/**
 * Finds files that failed without a failed test: the file could not be run, or the setup of a group failed and its tests were
 * skipped.
 */
function setupFailures({ name, status, message, assertionResults }: VitestFile): string[] {
  if (status !== 'failed' || assertionResults.some((test) => test.status === 'failed')) return []
  const first = assertionResults.find((test) => test.status !== 'passed')
  const reason = message || (first ? `what prepares "${first.fullName}" failed` : 'what cleans up after its tests failed')
  return [lineOf(name.split('/').at(-1) ?? name, reason)]
}

function readVitest(report: VitestReport): Report {
  const tests = report.testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((test) => ({
      ...test,
      line: lineOf(`${name.split('/').at(-1)} > ${test.fullName}`, test.failureMessages[0]),
    })),
  )
  return {
    counts: {
      passed: report.numPassedTests,
      failed: report.numFailedTests,
      skipped: report.numPendingTests + report.numTodoTests,
    },
    failed: [
      ...tests.filter((test) => test.status === 'failed').map((test) => test.line),
      ...report.testResults.flatMap(setupFailures),
    ],
    // A test that passed and has messages failed before it passed.
    retried: tests.filter((test) => test.status === 'passed' && test.failureMessages.length > 0).map((test) => test.line),
  }
}

const specsOf = (suite: PlaywrightSuite): NonNullable<PlaywrightSuite['specs']> => [
  ...(suite.specs ?? []),
  ...(suite.suites ?? []).flatMap(specsOf),
]

function readPlaywright(report: PlaywrightReport): Report {
  const lines = (status: string) =>
    specsOf(report).flatMap(({ file, title, tests }) =>
      tests
        .filter((test) => test.status === status)
        .map((test) => lineOf(`${file} > ${title}`, test.results.find(({ error }) => error)?.error?.message)),
    )
  const { expected, flaky, unexpected, skipped } = report.stats
  return {
    counts: { passed: expected + flaky, failed: unexpected, skipped },
    failed: lines('unexpected'),
    retried: lines('flaky'),
  }
}

/** Reads the report of a runner. A runner without a report ran nothing. */
export async function readReport(kind: 'vitest' | 'playwright', file: string): Promise<Report> {
  const text = await readFile(file, 'utf8').catch(() => null)
  if (text === null) return NONE
  return kind === 'vitest' ? readVitest(JSON.parse(text)) : readPlaywright(JSON.parse(text))
}
