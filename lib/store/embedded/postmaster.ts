import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, readlink, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { hasErrorCode } from './system-user.ts'

/** What a server writes about itself into `postmaster.pid` in its data directory. */
export interface PidFile {
  pid: number
  /** Undefined until the server has written it. */
  port: number | undefined
  /** `starting`, `stopping`, `ready` or `standby`; undefined as above. */
  status: string | undefined
}

// Larger than any pid that a system assigns, so that no process can ever have it.
const NO_PID = 2_147_483_647

/** Reads `postmaster.pid`; undefined if there is none, or if it is just being written. */
export async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  let text: string
  try {
    text = await readFile(join(cluster, 'postmaster.pid'), 'utf8')
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[3]) || undefined, status: lines[7]?.trim() || undefined }
}

/** True while a process with this pid runs. A zombie, which has ended but was not yet reaped, counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!hasErrorCode(error, 'EPERM')) return false
  }
  if (process.platform !== 'linux') return true
  try {
    // In a container the first process often does not reap others, so an orphan stays a zombie forever.
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? ''
    return !/^[ZX]/.test(afterName)
  } catch {
    return false
  }
}

/**
 * True if this running process serves this data directory, false if it is another program that got the pid since then (for
 * example after a restart of the machine), undefined if this cannot be determined.
 */
export async function servesCluster(pid: number, cluster: string): Promise<boolean | undefined> {
  const command = await commandOf(pid)
  // A process that is about to end no longer has a command line.
  if (command === undefined || command === '') return undefined
  if (!command.includes('postgres')) return false
  // So we started it. A server that a person started may have got the directory in another way.
  if (command.includes(cluster)) return true
  try {
    // A server's working directory is its data directory. In some containers even root may not read it.
    return (await readlink(`/proc/${pid}/cwd`)) === (await realpath(cluster))
  } catch {
    return undefined
  }
}

async function commandOf(pid: number): Promise<string | undefined> {
  if (process.platform === 'win32') return undefined
  try {
    if (process.platform === 'linux') return await readFile(`/proc/${pid}/cmdline`, 'utf8')
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', String(pid)])).stdout
  } catch {
    return undefined
  }
}

/**
 * Frees a `postmaster.pid` whose pid now belongs to another program. The file is not removed, because it also names the shared
 * memory that children of a killed server may still use. Once the pid in it is one that cannot run, PostgreSQL checks that
 * memory and clears the file itself.
 */
export async function invalidatePidFile(cluster: string): Promise<void> {
  const path = join(cluster, 'postmaster.pid')
  const [, ...rest] = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, [String(NO_PID), ...rest].join('\n'))
}

/** True once the server with this pid has ended, even if another program has the pid now. */
export async function hasEnded(pid: number, cluster: string): Promise<boolean> {
  return !isRunning(pid) || (await servesCluster(pid, cluster)) === false
}

/** How a server is stopped. Times in milliseconds. */
export interface StopOptions {
  cluster: string
  pid: number
  /** Only needed on Windows, which has no signals. */
  pgCtl: string | undefined
  /** How long a fast shutdown may take, which writes a last checkpoint. */
  patienceMs: number
  log: (line: string) => void
}

/**
 * Stops the server with this pid: a fast shutdown (connections are ended, everything is written) and, if that takes longer than
 * `patienceMs`, an immediate one, after which the next start recovers from the log. Returns once the process has ended. Does
 * nothing if the pid is no longer that server.
 */
export async function stopServer(options: StopOptions): Promise<void> {
  const { pid, cluster, log } = options
  const isGone = () => hasEnded(pid, cluster)
  if (await isGone()) return
  if (process.platform === 'win32' && options.pgCtl) {
    await promisify(execFile)(options.pgCtl, ['stop', '-D', cluster, '-m', 'fast', '-w'])
    return
  }
  process.kill(pid, 'SIGINT')
  if (await pollUntil(options.patienceMs, isGone)) return
  log(`the database did not stop within ${options.patienceMs / 1000} s; stopping it at once`)
  process.kill(pid, 'SIGQUIT')
  if (await pollUntil(10_000, isGone)) return
  throw new Error(`The database process ${pid} does not stop`)
}

/** Polls `isDone` every few milliseconds. Returns true once it is true, false once the time is over. */
export async function pollUntil(limitMs: number, isDone: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = performance.now() + limitMs
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    if (await isDone()) return true
    if (performance.now() > end) return false
    await sleep(pauseMs)
  }
}
