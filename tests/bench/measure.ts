import { setTimeout as sleep } from 'node:timers/promises'
import type { TestGateway } from '../support/gateway.ts'
import type { Job, Outcome } from './load.ts'
import { type BenchWorld, MODEL, SLOW_MODEL, TRANSCRIPTION_MODEL } from './world.ts'

export interface Plan {
  rounds: number
  /** How long one side of a round is under load. */
  ms: number
  warmUpMs: number
}

/** The results of one side over all rounds. */
export interface Side {
  perSecond: number[]
  /** Medians of each round, in milliseconds. */
  contentMs: number[]
  lastMs: number[]
  answers: number
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

type Target = Pick<Job, 'port' | 'model' | 'headers' | 'bridged'>

/** Loads the targets in turn, round after round, so that a slow round is slow for all of them. */
export async function alternate(
  world: BenchWorld,
  load: Pick<Job, 'kind' | 'connections'>,
  targets: Target[],
  plan: Plan,
): Promise<Side[]> {
  const sides = targets.map((): Side => ({ perSecond: [], contentMs: [], lastMs: [], answers: 0 }))
  const run = async (target: Target, ms: number) =>
    await world.load.ask<Outcome>({ run: { ...load, ...target, secret: world.secret, ms } satisfies Job })
  for (const [at, target] of targets.entries())
    if (plan.warmUpMs > 0) (sides[at] as Side).answers += (await run(target, plan.warmUpMs)).sent
  for (let round = 0; round < plan.rounds; round++)
    for (const [at, target] of targets.entries()) {
      const outcome = await run(target, plan.ms)
      const side = sides[at] as Side
      side.answers += outcome.sent
      side.perSecond.push((outcome.answers / outcome.tookMs) * 1000)
      side.contentMs.push(median(outcome.contentMs))
      side.lastMs.push(median(outcome.lastMs))
    }
  return sides
}

export interface Memory {
  steps: { streams: number; bytes: number }[]
  bytesPerStream: number
  dropped: number
}

/** Resident memory with more and more streams open, and the slope of the line through it. */
export async function measureMemory(world: BenchWorld, gateway: TestGateway): Promise<Memory> {
  let dropped = 0
  const stop = world.load.listen((message) => {
    if ('dropped' in message) dropped++
  })
  const steps: Memory['steps'] = []
  for (const streams of [500, 1000, 1500, 2000]) {
    await world.load.ask({
      hold: {
        kind: 'stream',
        port: portOf(gateway),
        secret: world.secret,
        model: SLOW_MODEL,
        connections: 500,
        ms: 0,
      } satisfies Job,
    })
    await sleep(3000)
    steps.push({ streams, bytes: await gateway.rss() })
  }
  await world.load.ask({ letGo: true })
  stop()
  return { steps, bytesPerStream: slope(steps.map(({ streams, bytes }) => [streams, bytes])), dropped }
}

/**
 * Peak resident memory, minus the memory before, while one upload after the other is forwarded: first of 10 MiB, then of 90 MiB.
 * A large upload that was kept in memory would show.
 */
export async function measureUploads(
  world: BenchWorld,
  gateway: TestGateway,
): Promise<{ small: number; large: number; answers: number }> {
  let answers = 0
  const measurePeak = async (megabytes: number): Promise<number> => {
    const before = await gateway.rss()
    const job = {
      kind: 'upload',
      port: portOf(gateway),
      secret: world.secret,
      model: TRANSCRIPTION_MODEL,
      connections: 1,
      ms: 2000,
    } as const
    const running = world.load.ask<Outcome>({ run: { ...job, uploadBytes: megabytes * 1024 * 1024 } satisfies Job })
    let peak = before
    let done = false
    const watch = async () => {
      while (!done) {
        peak = Math.max(peak, await gateway.rss())
        await sleep(10)
      }
    }
    const watching = watch()
    answers += (await running).sent
    done = true
    await watching
    return peak - before
  }
  const small = await measurePeak(10)
  return { small, large: await measurePeak(90), answers }
}

/** The slope of the least-squares line. */
function slope(points: [number, number][]): number {
  const mean = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length
  const [x, y] = [mean(0), mean(1)]
  return points.reduce((sum, [a, b]) => sum + (a - x) * (b - y), 0) / points.reduce((sum, [a]) => sum + (a - x) ** 2, 0)
}

/**
 * Sends requests while the database is unreachable, and counts those that still reached their vendor: they made no round trip to
 * the database before. The proxy to the database is blocked just before each request and opened when the vendor was called.
 */
export async function countWithoutSql(
  world: BenchWorld,
  gateway: TestGateway,
  requests: number,
): Promise<{ free: number; answers: number }> {
  const { wire } = world.blockable
  const job: Job = { kind: 'whole', port: portOf(gateway), secret: world.secret, model: MODEL, connections: 1, ms: 0 }
  const warmUp = await world.load.ask<Outcome>({ run: { ...job, ms: 500 } })
  await world.mock.ask({ tell: true })
  let free = 0
  for (let n = 0; n < requests; n++) {
    wire.setBlocked(true)
    let called: () => void = () => undefined
    const reached = new Promise<true>((resolve) => {
      called = () => resolve(true)
    })
    const stop = world.mock.listen((message) => {
      if ('called' in message) called()
    })
    const answered = world.load.ask({ run: job })
    if (await Promise.race([reached, sleep(1000, false)])) free++
    wire.setBlocked(false)
    await answered
    stop()
  }
  await world.mock.ask({ tell: false })
  return { free, answers: warmUp.sent + requests }
}

export const portOf = (gateway: TestGateway): number => Number(new URL(gateway.url).port)
