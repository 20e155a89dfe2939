// The benchmark: npm run bench -- [--rounds 5] [--seconds 4] [--only whole,streams,...] [--peer] [--json FILE]
import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { ensureConsoleBuilt } from '../support/ensure-console-built.ts'
import type { GatewayOptions, TestGateway } from '../support/gateway.ts'
import { Child } from './child.ts'
import { HOLDER_ROUTES, idsOf, makeAccount, signIn, timeRequests, urlsOf } from './console.ts'
import { alternate, countWithoutSql, measureMemory, measureUploads, median, type Plan, portOf, type Side } from './measure.ts'
import { startPeer } from './peer.ts'
import { readBooks } from './read-books.ts'
import { ms, perSecond, type Row, ratio, table } from './report.ts'
import { fillUsage, YEAR_OF_USAGE } from './usage-data.ts'
import {
  type BenchWorld,
  BRIDGED_MODEL,
  EMBED_MODEL,
  IMAGE_MODEL,
  MODEL,
  PACED_MODEL,
  startWorld,
  TRANSCRIPTION_MODEL,
} from './world.ts'

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
  // A gateway has much more code to compile than a proxy.
  warmUpMs: Number(options.seconds) * 3000,
}
const rows: Row[] = []
const details: Record<string, unknown> = {}
/** Answers that the gateway gave and has to have charged. */
let answers = 0
/** Uploads of another size than the others, with another cost. */
let otherUploads = 0

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const count = (number: number): string => number.toLocaleString('en')

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

/** The highest median that any read of the console may take. */
const CONSOLE_MS = 50

const NON_STREAMING = { kind: 'whole', connections: 64 } as const
const STREAMS = { kind: 'stream', connections: 32 } as const

/** The exit code that shells report for a process that SIGTERM ended. */
const SIGTERM_CODE = 143

/** Starts a gateway for some measurements and stops it afterwards. */
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
    // Plain Next does not drain and is ended by the signal.
    const usual = start.host === 'next' ? SIGTERM_CODE : 0
    if (code !== usual) say(`the gateway ended with ${code}:\n${gateway.log().slice(-2000)}`)
  }
}

const pairOf = (world: BenchWorld, gateway: TestGateway, model = MODEL) => [
  { port: world.proxy.port, model },
  { port: portOf(gateway), model },
]

const storingPair = (world: BenchWorld, gateway: TestGateway, model: string) => [
  { port: world.storing.port, model },
  { port: portOf(gateway), model },
]

/** Measures every read of the console, for an account with a million rows of usage. */
async function timeConsole(world: BenchWorld, gateway: TestGateway): Promise<void> {
  const accountId = await makeAccount(world, gateway)
  const started = performance.now()
  await fillUsage(world.pool, accountId)
  const took = ((performance.now() - started) / 1000).toFixed(0)
  say(`${count(YEAR_OF_USAGE.rows)} rows of usage in ${took} s`)
  const { addresses, unknown } = await urlsOf(HOLDER_ROUTES, await idsOf(world, accountId))
  if (unknown.length > 0) say(`NOT MEASURED, no value for the parameter: ${unknown.join(', ')}`)
  const timings = await timeRequests(gateway.url, addresses, await signIn(gateway), 8 * plan.rounds + 1)
  details.console = timings
  for (const { address, medianMs, besideMs } of timings)
    rows.push({
      measure: `GET ${address}`,
      gateway: ms(medianMs),
      // A read of one row, in turn with it.
      baseline: ms(besideMs),
      result: `+${ms(medianMs - besideMs)}`,
      target: `<= ${CONSOLE_MS} ms`,
      met: medianMs <= CONSOLE_MS,
    })
  const slowest = timings.reduce((a, b) => (b.medianMs > a.medianMs ? b : a))
  say(`the slowest read of the console: ${slowest.address}, ${ms(slowest.medianMs)}`)
}

/** Compares both kinds of answers, without a target. */
async function compareBoth(how: string, world: BenchWorld, pair: Parameters<typeof alternate>[2]): Promise<void> {
  compare(`${how}: whole answers, 64 connections`, await alternate(world, NON_STREAMING, pair, plan), 'perSecond', null)
  compare(`${how}: streams, 32 connections`, await alternate(world, STREAMS, pair, plan), 'perSecond', null)
}

const measures: Record<string, (world: BenchWorld) => Promise<void>> = {
  whole: (world) =>
    withGateway(world, {}, async (gateway) => {
      compare(
        'whole answers, 64 connections',
        await alternate(world, NON_STREAMING, pairOf(world, gateway), plan),
        'perSecond',
        0.8,
      )
      const one = await alternate(world, { ...NON_STREAMING, connections: 1 }, pairOf(world, gateway), plan)
      compare('whole answer, 1 connection: last byte', one, 'lastMs', 1.5)
    }),
  least: (world) =>
    withGateway(world, {}, async (gateway) => {
      const least = await Child.start('least-gateway.ts', [String(world.mock.port), world.databaseUrl, world.secret])
      try {
        const targets = [...pairOf(world, gateway), { port: least.port, model: MODEL }]
        const [bare, ours, floor] = await alternate(world, NON_STREAMING, targets, plan)
        if (bare && ours) compare('beside the least gateway: whole answers, 64 connections', [bare, ours], 'perSecond', null)
        if (bare && floor) compare('the least gateway itself', [bare, { ...floor, answers: 0 }], 'perSecond', null)
      } finally {
        least.stop()
      }
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
      const paced = pairOf(world, gateway, PACED_MODEL)
      compare(
        "stream at a model's pace, 1 connection: first content chunk",
        await alternate(world, { ...STREAMS, connections: 1 }, paced, plan),
        'contentMs',
        0.5,
      )
    }),
  embeddings: (world) =>
    withGateway(world, {}, async (gateway) => {
      const sides = await alternate(world, { kind: 'embed', connections: 64 }, pairOf(world, gateway, EMBED_MODEL), plan)
      compare('embeddings, 64 connections', sides, 'perSecond', 0.8)
    }),
  images: (world) =>
    withGateway(world, {}, async (gateway) => {
      const sides = await alternate(world, { kind: 'image', connections: 8 }, storingPair(world, gateway, IMAGE_MODEL), plan)
      compare('1 MB images stored, 8 connections', sides, 'perSecond', 0.85)
    }),
  uploads: (world) =>
    withGateway(world, {}, async (gateway) => {
      const sides = await alternate(
        world,
        { kind: 'upload', connections: 4 },
        storingPair(world, gateway, TRANSCRIPTION_MODEL),
        plan,
      )
      compare('25 MB uploads spooled, 4 connections', sides, 'perSecond', 0.85)
      const { small, large, answers: sent } = await measureUploads(world, gateway)
      otherUploads += sent
      const grown = Math.max(0, large - small) / 1024 / 1024
      rows.push({
        measure: 'memory while an upload of 10 MB, of 90 MB is forwarded',
        gateway: [small, large].map((bytes) => `${(bytes / 1024 / 1024).toFixed(0)} MB`).join(', '),
        baseline: '',
        result: `+${grown.toFixed(0)} MB`,
        target: '<= 30 MB',
        met: grown <= 30,
      })
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
      await compareBoth('over the bridge', world, toBridge)
    }),
  workers: (world) =>
    withGateway(world, { env: { WORKERS: '2' } }, (gateway) => compareBoth('2 workers', world, pairOf(world, gateway))),
  console: async (world) => {
    await ensureConsoleBuilt()
    await withGateway(world, { env: { ROLE: 'all' } }, (gateway) => timeConsole(world, gateway))
  },
  next: async (world) => {
    await ensureConsoleBuilt()
    await withGateway(world, { host: 'next' }, (gateway) => compareBoth('plain Next', world, pairOf(world, gateway)))
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
    compare('Portkey, nothing recorded: whole answers', await alternate(world, NON_STREAMING, pair, plan), 'perSecond', null)
    // Nobody charges for these.
    answers = counted
  } finally {
    other.stop()
  }
}

const world = await startWorld()
let booksSound = false
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
  // Runs before the peer, which takes a minute: after that, what a gateway without graceful shutdown (plain Next) held counts as
  // held forever.
  const { balanced, lines, charged } = await readBooks(world)
  say(`\n${lines.join('\n')}\n${count(answers)} answers, ${count(charged)} charges; ${otherUploads} uploads of other sizes`)
  booksSound = balanced && charged === answers
  if (options.peer) await peer(world)
} finally {
  await world.stop()
}
say(`\n${table(rows)}\n`)
if (options.json) await writeFile(options.json, `${JSON.stringify({ plan, rows, details, sound: booksSound }, null, 2)}\n`)
say(`${booksSound ? 'books sound' : 'BOOKS NOT SOUND'}; ${rows.map((row) => `${row.measure}: ${row.result}`).join('; ')}`)
process.exit(booksSound ? 0 : 1)
