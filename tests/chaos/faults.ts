import { setTimeout as sleep } from 'node:timers/promises'
import { HOUR_MS } from '#lib/domain/time-units'
import { isRunning } from '#lib/store/embedded/postmaster'
import type { Random } from '../support/random.ts'
import type { Member } from './member.ts'
import { LEASE_LIFETIME_MS, type Stage } from './stage.ts'
import { stallReading } from './traffic.ts'
import { VENDOR_FAULTS } from './vendor.ts'

type Fault = (stage: Stage, random: Random) => Promise<void>
/** Faults of one part of the system, by weight. One of them happens at a time. */
export type Faults = readonly (readonly [weight: number, kind: string, fault: Fault])[]

const pickRunning = (stage: Stage, random: Random): Member | null => {
  const running = stage.members.filter((member) => member.gateway)
  return running.length === 0 ? null : random.pick(running)
}

/** Faults of gateway processes. */
export const GATEWAY_FAULTS: Faults = [
  [
    4,
    'gateway: kill -9',
    async (stage, random) => {
      const member = random.pick(stage.members)
      await member.stop('SIGKILL')
      await sleep(random.integer(0, 300))
      await member.start()
    },
  ],
  [
    2,
    'gateway: stopped in order under load',
    async (stage, random) => {
      const member = random.pick(stage.members)
      await member.stop('SIGTERM')
      await member.start()
    },
  ],
  [
    3,
    'gateway: SIGSTOP, within its lease',
    async (stage, random) => {
      const gateway = pickRunning(stage, random)?.gateway
      gateway?.kill('SIGSTOP')
      await sleep(random.integer(50, LEASE_LIFETIME_MS / 2))
      gateway?.kill('SIGCONT')
    },
  ],
  [
    3,
    'gateway: SIGSTOP, beyond its lease',
    async (stage, random) => {
      const gateway = pickRunning(stage, random)?.gateway
      gateway?.kill('SIGSTOP')
      await sleep(random.integer(LEASE_LIFETIME_MS, LEASE_LIFETIME_MS * 2))
      gateway?.kill('SIGCONT')
    },
  ],
  [
    6,
    'gateway: clock jumps',
    async (stage, random) => {
      const maxShiftMs = random.pickWeighted([
        [3, 90_000],
        [3, 3 * HOUR_MS],
        [1, 40 * 24 * HOUR_MS],
      ])
      await random.pick(stage.members).shiftClock(random.integer(-maxShiftMs, maxShiftMs))
      await sleep(300)
    },
  ],
]

/** Waits until the database answers. Starts it if it has ended. */
async function ensureDatabaseUp(stage: Stage): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      await stage.server.restart()
      await stage.pool.query('SELECT 1')
      return
    } catch (error) {
      if (tries > 50) throw error
      await sleep(100)
    }
  }
}

/** Terminates database sessions of the gateways whose name is like this one. */
const terminateSessions = (stage: Stage, name: string) =>
  stage.pool.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE $1 AND pid <> pg_backend_pid()',
    [name],
  )

/** Faults of the database and of the connections to it. */
export const DATABASE_FAULTS: Faults = [
  [
    3,
    'database: kill -9',
    async (stage, random) => {
      await stage.server.kill()
      await sleep(random.chance(0.7) ? random.integer(0, 400) : random.integer(400, LEASE_LIFETIME_MS))
      await ensureDatabaseUp(stage)
    },
  ],
  [
    3,
    'database: kill -9 of one backend',
    async (stage, random) => {
      const { rows } = await stage.pool.query<{ pid: number }>(
        `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'tollgate%'`,
      )
      if (rows.length === 0) return
      const { pid } = random.pick(rows)
      if (isRunning(pid)) process.kill(pid, 'SIGKILL')
      await sleep(200)
      await ensureDatabaseUp(stage)
    },
  ],
  [
    2,
    'database: SIGSTOP',
    async (stage, random) => {
      await stage.server.signal('SIGSTOP')
      await sleep(random.integer(100, LEASE_LIFETIME_MS * 0.9))
      await stage.server.signal('SIGCONT')
    },
  ],
  [
    6,
    'database: connections reset',
    async (stage, random) => {
      random.pick(stage.members).databaseProxy.reset(() => random.chance(0.6))
    },
  ],
  [
    3,
    'database: unreachable',
    async (stage, random) => {
      const { databaseProxy } = random.pick(stage.members)
      databaseProxy.setRefusing(true)
      databaseProxy.reset()
      await sleep(random.integer(100, LEASE_LIFETIME_MS))
      databaseProxy.setRefusing(false)
    },
  ],
  [
    3,
    'database: nothing gets through',
    async (stage, random) => {
      const { databaseProxy } = random.pick(stage.members)
      databaseProxy.setBlocked(true)
      await sleep(random.integer(100, LEASE_LIFETIME_MS))
      if (random.chance(0.5)) databaseProxy.reset()
      databaseProxy.setBlocked(false)
    },
  ],
  [6, 'NOTIFY lost: listeners end', (stage) => terminateSessions(stage, 'tollgate listen').then(() => undefined)],
  [3, 'database: sessions terminated', (stage) => terminateSessions(stage, 'tollgate%').then(() => undefined)],
  [
    3,
    'database: a balance is locked',
    async (stage, random) => {
      const client = await stage.pool.connect()
      try {
        await client.query('BEGIN')
        await client.query('SELECT 1 FROM purse WHERE id = $1 FOR UPDATE', [random.pick(stage.accounts).id])
        await sleep(random.integer(100, 2500))
        await client.query('ROLLBACK')
      } finally {
        client.release(true)
      }
    },
  ],
]

/** Only if a disk could be mounted for them. */
export const DISK_FAULTS: Faults = [
  [
    3,
    'database: disk full',
    async (stage, random) => {
      await stage.disk?.fill()
      await sleep(random.integer(200, 2500))
      await stage.disk?.free()
      await ensureDatabaseUp(stage)
    },
  ],
]

/** Only if the gateway keeps its counts in Redis. */
export const REDIS_FAULTS: Faults = [
  [
    1,
    'redis: gone',
    async (stage, random) => {
      await stage.redis?.kill()
      await sleep(random.integer(100, 2000))
      await stage.redis?.restart()
    },
  ],
  [
    1,
    'redis: SIGSTOP',
    async (stage, random) => {
      stage.redis?.pause()
      await sleep(random.integer(100, 2000))
      stage.redis?.resume()
    },
  ],
]

/** Faults of the vendor, the clients, and the wires to both. */
export const WIRE_FAULTS: Faults = [
  [
    8,
    'vendor: misbehaves',
    async (stage, random) => {
      stage.vendor.setMode(random.pick(VENDOR_FAULTS))
      await sleep(random.integer(100, 500))
      stage.vendor.setMode('well')
    },
  ],
  [
    4,
    'vendor: connections reset',
    async (stage, random) => {
      stage.vendorProxy.reset(() => random.chance(0.5))
      await sleep(50)
    },
  ],
  [
    1,
    'vendor: unreachable',
    async (stage, random) => {
      stage.vendorProxy.setRefusing(true)
      stage.vendorProxy.reset()
      await sleep(random.integer(50, 400))
      stage.vendorProxy.setRefusing(false)
    },
  ],
  [
    6,
    'client: connections reset',
    async (stage, random) => {
      random.pick(stage.members).clientProxy.reset(() => random.chance(0.5))
      await sleep(50)
    },
  ],
  [
    1,
    'client: nothing gets through',
    async (stage, random) => {
      const { clientProxy } = random.pick(stage.members)
      clientProxy.setBlocked(true)
      await sleep(random.integer(100, 800))
      clientProxy.setBlocked(false)
    },
  ],
  [
    2,
    'client: readers that take nothing',
    async (stage, random) => {
      const readers = Array.from({ length: 3 }, () => stallReading(stage, random, random.integer(500, 2500)))
      await Promise.race([Promise.all(readers), sleep(400)])
    },
  ],
]

/** Ends every fault that is still in effect. */
export async function clearFaults(stage: Stage): Promise<void> {
  stage.vendor.setMode('well')
  stage.vendorProxy.setRefusing(false)
  await stage.server.signal('SIGCONT')
  await stage.disk?.free()
  for (const member of stage.members) {
    member.gateway?.kill('SIGCONT')
    for (const proxy of [member.clientProxy, member.databaseProxy]) {
      proxy.setBlocked(false)
      proxy.setRefusing(false)
    }
    await member.shiftClock(0)
  }
  await ensureDatabaseUp(stage)
  for (const member of stage.members) await member.start()
}
