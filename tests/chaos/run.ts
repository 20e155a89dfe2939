import { setTimeout as sleep } from 'node:timers/promises'
import { addCredit } from '../support/fixtures.ts'
import { Random } from '../support/random.ts'
import { clearFaults, DATABASE_FAULTS, DISK_FAULTS, type Faults, GATEWAY_FAULTS, REDIS_FAULTS, WIRE_FAULTS } from './faults.ts'
import { openStage, type Stage } from './stage.ts'
import { type ExchangeResult, startTraffic } from './traffic.ts'
import { verify } from './verdict.ts'

export interface ChaosOptions {
  seed: string
  /** How many faults are injected in total. */
  faults: number
  log: (line: string) => void
  /** Ends the run early, with its verdict. */
  signal?: AbortSignal
  /** Further settings of the gateways. */
  env?: Record<string, string>
}

export interface ChaosReport {
  /** How many faults of each kind were injected. */
  faults: Map<string, number>
  /** What clients saw, by outcome. */
  outcomes: Map<string, number>
  audit: string[]
  /** Everything that is wrong. Empty after a good run. */
  problems: string[]
}

/**
 * Injects faults while official clients work, heals everything, and checks the damage. The seed determines what is chosen, but
 * not when it happens, and so not the outcome.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { seed, log } = options
  const random = (name: string) => new Random(`${seed}/${name}`)
  await using stage = await openStage(random('vendor'), log, options.env)
  await sleep(700)
  if (!stage.disk) log('no disk can be mounted here: it is never full')
  const traffic = startTraffic(stage, random('traffic'))
  const payments = startPayments(stage, random('payments'))
  const counts = new Map<string, number>()
  const problems: string[] = []
  const inject = createInjector(stage, options, counts, problems)
  // Several things fail at once, but each thing in only one way at a time.
  await Promise.all([
    inject(random('gateway'), GATEWAY_FAULTS, 500),
    inject(random('database'), [...DATABASE_FAULTS, ...(stage.disk ? DISK_FAULTS : [])], 700),
    inject(random('wires'), [...WIRE_FAULTS, ...(stage.redis ? REDIS_FAULTS : [])], 900),
  ])
  log('healing')
  await clearFaults(stage)
  await sleep(2000)
  await payments.stop()
  await traffic.stop()
  const verdict = await verify(stage, traffic)
  return {
    faults: counts,
    outcomes: outcomesOf(traffic.journal),
    audit: verdict.audit,
    problems: [...problems, ...verdict.problems],
  }
}

function createInjector(stage: Stage, options: ChaosOptions, counts: Map<string, number>, problems: string[]) {
  let injectedCount = 0
  let lastLoggedAt = 0
  return async (random: Random, faults: Faults, pauseMs: number): Promise<void> => {
    while (injectedCount < options.faults && !options.signal?.aborted) {
      const [kind, fault] = random.pickWeighted(
        faults.map(([weight, name, action]) => [weight, [name, action] as const] as const),
      )
      injectedCount++
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      // What a fault needs may itself be down, such as the database for a query of its sessions.
      await fault(stage, random).catch((error: unknown) => {
        if (!/connection|timeout|terminated|ECONN|starting up|shutting down|recovery|in time/i.test(String(error)))
          problems.push(`the fault "${kind}" failed: ${String(error)}`)
      })
      if (performance.now() - lastLoggedAt > 10_000) {
        lastLoggedAt = performance.now()
        options.log(`${injectedCount} faults`)
      }
      await sleep(random.integer(0, pauseMs * 2))
    }
  }
}

/** Credits the poor accounts with a little more now and then. */
function startPayments(stage: Stage, random: Random) {
  let running = true
  const lowBalanceAccounts = stage.accounts.filter((account) => account.hasLowBalance)
  const work = async () => {
    for (let number = 0; running; number++) {
      // If the answer to a payment was lost, only the books know whether it arrived.
      await addCredit(stage.pool, random.pick(lowBalanceAccounts).id, BigInt(random.integer(1, 60_000)), number).catch(
        () => undefined,
      )
      await sleep(random.integer(50, 400))
    }
  }
  const finished = work()
  return {
    async stop() {
      running = false
      await finished
    },
  }
}

function outcomesOf(journal: readonly ExchangeResult[]): Map<string, number> {
  const outcomes = new Map<string, number>()
  for (const result of journal) {
    const ending =
      result.replayOf !== null ? 'repeated' : result.complete ? 'whole' : result.status === 200 ? 'broken off' : 'refused'
    const outcome = result.status === 0 ? 'no answer' : `${result.status} ${ending}`
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
  }
  return outcomes
}

/** The tables of a report, for people. */
export function tablesOf(report: ChaosReport): string[] {
  const table = (title: string, rows: ReadonlyMap<string, number>): string[] => [
    '',
    title,
    ...[...rows]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, count]) => `  ${name.padEnd(44)}${String(count).padStart(8)}`),
  ]
  return [...table('faults', report.faults), ...table('requests', report.outcomes), '', ...report.audit, ...report.problems]
}
