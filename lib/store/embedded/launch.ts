import { spawn } from 'node:child_process'
import { type FileHandle, open, rename, stat, statfs } from 'node:fs/promises'
import type { Binaries } from './binaries.ts'
import { explainSpawn, spawnOptions } from './initialize.ts'
import type { Place } from './place.ts'
import { pollUntil, readPidFile } from './postmaster.ts'
import { probe } from './probe.ts'
import { serverArguments } from './settings.ts'

const LOG_LIMIT_BYTES = 10 * 1024 * 1024
/** With less free space than this, the server cannot write anything. */
const MIN_FREE_BYTES = 64 * 1024

/**
 * Lets a connection keep the memory that it allocates for a statement, up to several megabytes, for the next one. With glibc's
 * defaults it returns all of it to the system after each statement, which takes a twentieth of the time of settling
 * (mallopt(3); other C libraries do not read these variables).
 */
const MALLOC_ENV = { MALLOC_TOP_PAD_: '1048576', MALLOC_TRIM_THRESHOLD_: '16777216' }

/** What one attempt to start a server needs. */
export interface LaunchOptions {
  place: Place
  binaries: Binaries
  port: number
  settings: Readonly<Record<string, string>>
  /** On the clock of performance.now(). */
  deadline: number
}

/**
 * How an attempt ended. `ready`: it serves. `port taken`: another program took the port in the meantime. `in use`: another
 * server serves the data directory, or the child processes of a killed one still hold it.
 */
export type LaunchOutcome = { kind: 'ready'; pid: number } | { kind: 'port taken' } | { kind: 'in use' }

/**
 * Starts a server in a session of its own, so that Ctrl-C or a hang-up of the terminal does not reach it, and waits until it
 * accepts connections. If it ends for a reason that a retry does not fix, throws an error with the last lines of its log.
 */
export async function launch(options: LaunchOptions): Promise<LaunchOutcome> {
  const { place, binaries, port, deadline } = options
  await rotateLog(place.logFile)
  const output = await open(place.logFile, 'a+', 0o600)
  try {
    const logOffset = (await output.stat()).size
    const identity = spawnOptions(place)
    const child = spawn(binaries.postgres, serverArguments(place.cluster, port, options.settings), {
      ...identity,
      env: { ...identity.env, ...MALLOC_ENV },
      cwd: place.home,
      detached: true,
      windowsHide: true,
      stdio: ['ignore', output.fd, output.fd],
    })
    let ended = false
    child.once('exit', () => {
      ended = true
    })
    const pid = await new Promise<number>((resolve, reject) => {
      child.once('spawn', () => resolve(child.pid ?? 0))
      child.once('error', (error) => reject(new Error(explainSpawn(error, place, error.message), { cause: error })))
    })
    child.unref()

    const isReady = async () => {
      const file = await readPidFile(place.cluster)
      return file?.pid === pid && file.status === 'ready' && (await probe(place, port)) === 'ready'
    }
    const finished = await pollUntil(deadline - performance.now(), async () => ended || (await isReady()))
    if (ended) return explainEnd(place, await readFrom(output, logOffset), pid, await isFull(place.home))
    if (finished) return { kind: 'ready', pid }
    // It keeps running, because the next start would have to begin an interrupted recovery anew.
    throw new Error(`The database (process ${pid}) is not ready yet; see ${place.logFile}, and start again`)
  } finally {
    await output.close()
  }
}

/** Whether the disk of a folder is full. In this case the log cannot say so, because it cannot be written either. */
async function isFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < MIN_FREE_BYTES
}

function explainEnd(place: Place, log: string, pid: number, full: boolean): LaunchOutcome {
  const lines = log.split('\n')
  // Another start may write to the same log at the same time.
  const ownLines = lines.filter((line) => line.includes(`[${pid}]`))
  const logTail = (ownLines.length > 0 ? ownLines : lines).slice(-15).join('\n').trim()
  if (/could not create any TCP\/IP sockets/.test(logTail)) return { kind: 'port taken' }
  if (/lock file "postmaster\.pid"|pre-existing shared memory block/.test(logTail)) return { kind: 'in use' }
  if (full) throw new Error(`PostgreSQL does not start on ${place.home}: its disk is full. Make room, and start again`)
  throw new Error(`PostgreSQL does not start on ${place.home}. The end of ${place.logFile}:\n${logTail}`)
}

async function readFrom(file: FileHandle, position: number): Promise<string> {
  const { size } = await file.stat()
  const buffer = Buffer.alloc(Math.max(0, size - position))
  await file.read(buffer, 0, buffer.length, position)
  return buffer.toString('utf8')
}

async function rotateLog(logFile: string): Promise<void> {
  const { size } = await stat(logFile).catch(() => ({ size: 0 }))
  if (size > LOG_LIMIT_BYTES) await rename(logFile, `${logFile}.1`)
}
