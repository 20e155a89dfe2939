// The benchmark: npm run bench -- [--rounds 5] [--seconds 4] [--only whole,streams,...] [--peer] [--json FILE]
import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { auditReport } from '#lib/ledger/audit'
import { readAudit } from '#lib/store/audit-store'
import { builtConsole } from '../support/built-console.ts'
import type { GatewayOptions, TestGateway } from '../support/gateway.ts'
import { alternate, countWithoutSql, measureMemory, median, type Plan, portOf, type Side } from './measure.ts'
import { startPeer } from './peer.ts'
import { ms, perSecond, type Row, ratio, table } from './report.ts'
import { type BenchWorld, BRIDGED_MODEL, MODEL, startWorld } from './world.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    only: { type: 'string' },
    peer: { type: 'boolean', default: false },
    json: { type: 'string' },
  },
})
const plan: Plan = {
  rounds: Number(options.rounds),
  ms: Number(options.seconds) * 1000,
  warmUpMs: Number(options.seconds) * 2000,
}
const rows: Row[] = []
const details: Record<string, unknown> = {}
/** Answers that the gateway gave and must have charged. */
let answers = 0

const say = (line: string): void => void process.stdout.write(`${line}\n`)

function compare(
  measure: string,
  [bare, ours]: Side[],
  figure: 'perSecond' | 'contentMs' | 'lastMs',
  target: number | null,
): void {
  if (!bare || !ours) return
  answers += ours.answers
  details[measure] = { bare, ours }
  const [theirs, mine] = [median(bare[figure]), median(ours[figure])]
  const throughput = figure === 'perSecond'
  const result = throughput ? mine / theirs : mine - theirs
  const show = throughput ? perSecond : ms
  rows.push({
    measure,
    gateway: show(mine),
    baseline: show(theirs),
    result: throughput ? ratio(result) : `+${ms(result)}`,
    target: target === null ? '' : throughput ? `>= ${ratio(target)}` : `<= ${ms(target)}`,
    met: target === null ? null : throughput ? result >= target : result <= target,
  })
  say(`${measure}: ${rows.at(-1)?.result}`)
}

const WHOLE = { kind: 'whole', connections: 64 } as const
const STREAMS = { kind: 'stream', connections: 32 } as const

/** Starts a gateway for some measures and stops it after them. */
async function withGateway(
  world: BenchWorld,
  start: Partial<GatewayOptions>,
  work: (gateway: TestGateway) => Promise<void>,
): Promise<void> {
  const gateway = await world.start(start)
  try {
    await work(gateway)
  } finally {
    const code = await gateway.stop()
    if (code !== 0) say(`the gateway ended with ${code}:\n${gateway.log().slice(-2000)}`)
  }
}

const pairOf = (world: BenchWorld, gateway: TestGateway, model = MODEL) => [
  { port: world.proxy.port, model },
  { port: portOf(gateway), model },
]

const measures: Record<string, (world: BenchWorld) => Promise<void>> = {
  whole: (world) =>
    withGateway(world, {}, async (gateway) => {
      compare('whole answers, 64 connections', await alternate(world, WHOLE, pairOf(world, gateway), plan), 'perSecond', 0.8)
      const one = await alternate(world, { ...WHOLE, connections: 1 }, pairOf(world, gateway), plan)
      compare('whole answer, 1 connection: last byte', one, 'lastMs', 1.5)
    }),
  streams: (world) =>
    withGateway(world, {}, async (gateway) => {
      compare(
        'streams of 100 chunks, 32 connections',
        await alternate(world, STREAMS, pairOf(world, gateway), plan),
        'perSecond',
        0.85,
      )
      const one = await alternate(world, { ...STREAMS, connections: 1 }, pairOf(world, gateway), plan)
      compare('stream, 1 connection: first content chunk', one, 'contentMs', 0.5)
    }),
  memory: (world) =>
    withGateway(world, {}, async (gateway) => {
      const memory = await measureMemory(world, gateway)
      details.memory = memory
      rows.push({
        measure: '500 to 2,000 open streams: memory of each',
        gateway: `${(memory.bytesPerStream / 1024).toFixed(0)} KB`,
        baseline: '',
        result: `${memory.dropped} dropped`,
        target: '<= 100 KB',
        met: memory.bytesPerStream <= 100 * 1024 && memory.dropped === 0,
      })
    }),
  sql: (world) =>
    withGateway(world, { databaseUrl: world.blockable.url }, async (gateway) => {
      const requests = 50
      const { free, answers: sent } = await countWithoutSql(world, gateway, requests)
      answers += sent
      rows.push({
        measure: 'SQL round trips before the vendor is called',
        gateway: free === requests ? '0' : '>= 1',
        baseline: '',
        result: `${free} of ${requests} without the database`,
        target: '0',
        met: free === requests,
      })
    }),
  bridge: (world) =>
    withGateway(world, {}, async (gateway) => {
      const toBridge = [
        { port: world.proxy.port, model: MODEL },
        { port: portOf(gateway), model: BRIDGED_MODEL, bridged: true },
      ]
      compare('over the bridge: whole answers, 64 connections', await alternate(world, WHOLE, toBridge, plan), 'perSecond', null)
      compare('over the bridge: streams, 32 connections', await alternate(world, STREAMS, toBridge, plan), 'perSecond', null)
    }),
  workers: (world) =>
    withGateway(world, { env: { WORKERS: '2' } }, async (gateway) => {
      compare(
        '2 workers: whole answers, 64 connections',
        await alternate(world, WHOLE, pairOf(world, gateway), plan),
        'perSecond',
        null,
      )
      compare(
        '2 workers: streams, 32 connections',
        await alternate(world, STREAMS, pairOf(world, gateway), plan),
        'perSecond',
        null,
      )
    }),
  next: async (world) => {
    await builtConsole()
    await withGateway(world, { host: 'next' }, async (gateway) => {
      compare(
        'plain Next: whole answers, 64 connections',
        await alternate(world, WHOLE, pairOf(world, gateway), plan),
        'perSecond',
        null,
      )
      compare(
        'plain Next: streams, 32 connections',
        await alternate(world, STREAMS, pairOf(world, gateway), plan),
        'perSecond',
        null,
      )
    })
  },
}

async function peer(world: BenchWorld): Promise<void> {
  const other = await startPeer(world.mock.port)
  try {
    const counted = answers
    const pair = [
      { port: world.proxy.port, model: MODEL },
      { port: other.port, model: MODEL, headers: other.headers },
    ]
    compare('Portkey, nothing recorded: whole answers', await alternate(world, WHOLE, pair, plan), 'perSecond', null)
    // Nobody charges for these.
    answers = counted
  } finally {
    other.stop()
  }
}

/** The books must balance, and hold one charge for each answer that a client got. */
async function audit(world: BenchWorld): Promise<boolean> {
  const report = auditReport(await readAudit(world.pool, 60_000))
  const { rows: found } = await world.pool.query<{ charged: number; short: number }>(
    `SELECT count(*) FILTER (WHERE outcome = 'finished' AND charged_nano = 1030000)::int AS charged,
            count(*) FILTER (WHERE outcome NOT IN ('finished', 'client_gone'))::int AS short FROM usage_record`,
  )
  const charged = found[0]?.charged ?? 0
  say(`\n${report.lines.at(-1)}\n${answers.toLocaleString('en')} answers, ${charged.toLocaleString('en')} charges`)
  return report.balanced && charged === answers && found[0]?.short === 0
}

const world = await startWorld()
let sound = false
try {
  const settings = await world.pool.query<{ name: string; setting: string }>(
    `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes', 'server_version')`,
  )
  details.database = Object.fromEntries(settings.rows.map(({ name, setting }) => [name, setting]))
  details.machine = { cores: cpus().length, node: process.version }
  say(`${JSON.stringify(details.machine)} ${JSON.stringify(details.database)}`)
  say(`${plan.rounds} rounds of ${options.seconds} s a side, alternating; medians\n`)
  const wanted = options.only?.split(',') ?? Object.keys(measures)
  for (const name of wanted) await measures[name]?.(world)
  if (options.peer) await peer(world)
  sound = await audit(world)
} finally {
  await world.stop()
}
say(`\n${table(rows)}\n`)
if (options.json) await writeFile(options.json, `${JSON.stringify({ plan, rows, details, sound }, null, 2)}\n`)
say(`${sound ? 'books sound' : 'BOOKS NOT SOUND'}; ${rows.map((row) => `${row.measure}: ${row.result}`).join('; ')}`)
process.exit(sound ? 0 : 1)
