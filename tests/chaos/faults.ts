import { setTimeout as sleep } from 'node:timers/promises'
import { isRunning } from '#lib/store/embedded/postmaster'
import type { Random } from '../support/random.ts'
import type { Member } from './member.ts'
import { LIFE_MS, type Stage } from './stage.ts'
import { stallReading } from './traffic.ts'
import { VENDOR_FAULTS } from './vendor.ts'

type Fault = (stage: Stage, random: Random) => Promise<void>
/** Faults of one part of the system, by weight. One of them happens at a time. */
export type Faults = readonly (readonly [weight: number, kind: string, fault: Fault])[]

const HOUR_MS = 3_600_000

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
      await member.end('SIGKILL')
      await sleep(random.integer(0, 300))
      await member.start()
    },
  ],
  [
    2,
    'gateway: stopped in order under load',
    async (stage, random) => {
      const member = random.pick(stage.members)
      await member.end('SIGTERM')
      await member.start()
    },
  ],
  [
    3,
    'gateway: SIGSTOP, within its lease',
    async (stage, random) => {
      const gateway = pickRunning(stage, random)?.gateway
      gateway?.kill('SIGSTOP')
      await sleep(random.integer(50, LIFE_MS / 2))
      gateway?.kill('SIGCONT')
    },
  ],
  [
    3,
    'gateway: SIGSTOP, beyond its lease',
    async (stage, random) => {
      const gateway = pickRunning(stage, random)?.gateway
      gateway?.kill('SIGSTOP')
      await sleep(random.integer(LIFE_MS, LIFE_MS * 2))
      gateway?.kill('SIGCONT')
    },
  ],
  [
    6,
    'gateway: clock jumps',
    async (stage, random) => {
      const span = random.weighted([
        [3, 90_000],
        [3, 3 * HOUR_MS],
        [1, 40 * 24 * HOUR_MS],
      ])
      await random.pick(stage.members).shiftClock(random.integer(-span, span))
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
const terminate = (stage: Stage, name: string) =>
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
      await sleep(random.chance(0.7) ? random.integer(0, 400) : random.integer(400, LIFE_MS))
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
      await sleep(random.integer(100, LIFE_MS * 0.9))
      await stage.server.signal('SIGCONT')
    },
  ],
  [
    6,
    'database: connections reset',
    async (stage, random) => {
      random.pick(stage.members).back.reset(() => random.chance(0.6))
    },
  ],
  [
    3,
    'database: unreachable',
    async (stage, random) => {
      const { back } = random.pick(stage.members)
      back.refuse(true)
      back.reset()
      await sleep(random.integer(100, LIFE_MS))
      back.refuse(false)
    },
  ],
  [
    3,
    'database: nothing gets through',
    async (stage, random) => {
      const { back } = random.pick(stage.members)
      back.block(true)
      await sleep(random.integer(100, LIFE_MS))
      if (random.chance(0.5)) back.reset()
      back.block(false)
    },
  ],
  [6, 'NOTIFY lost: listeners end', (stage) => terminate(stage, 'tollgate listen').then(() => undefined)],
  [3, 'database: sessions terminated', (stage) => terminate(stage, 'tollgate%').then(() => undefined)],
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
      stage.vendor.set(random.pick(VENDOR_FAULTS))
      await sleep(random.integer(100, 500))
      stage.vendor.set('well')
    },
  ],
  [
    4,
    'vendor: connections reset',
    async (stage, random) => {
      stage.vendorWire.reset(() => random.chance(0.5))
      await sleep(50)
    },
  ],
  [
    1,
    'vendor: unreachable',
    async (stage, random) => {
      stage.vendorWire.refuse(true)
      stage.vendorWire.reset()
      await sleep(random.integer(50, 400))
      stage.vendorWire.refuse(false)
    },
  ],
  [
    6,
    'client: connections reset',
    async (stage, random) => {
      random.pick(stage.members).front.reset(() => random.chance(0.5))
      await sleep(50)
    },
  ],
  [
    1,
    'client: nothing gets through',
    async (stage, random) => {
      const { front } = random.pick(stage.members)
      front.block(true)
      await sleep(random.integer(100, 800))
      front.block(false)
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
export async function heal(stage: Stage): Promise<void> {
  stage.vendor.set('well')
  stage.vendorWire.refuse(false)
  await stage.server.signal('SIGCONT')
  await stage.disk?.free()
  for (const member of stage.members) {
    member.gateway?.kill('SIGCONT')
    for (const wire of [member.front, member.back]) {
      wire.block(false)
      wire.refuse(false)
    }
    await member.shiftClock(0)
  }
  await ensureDatabaseUp(stage)
  for (const member of stage.members) await member.start()
}
