import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, readlink, realpath, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { isCode } from './system-user.ts'

/** What a server writes about itself into `postmaster.pid` in its data directory. */
export interface PidFile {
  pid: number
  /** Undefined while the server has not got as far as to write it. */
  port: number | undefined
  /** `starting`, `stopping`, `ready` or `standby`; undefined as above. */
  status: string | undefined
}

// Larger than any pid that a system gives out, so that no process can ever have it.
const NO_PID = 2_147_483_647

/** Reads `postmaster.pid`; undefined where there is none, or it is being written this very moment. */
export async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  let text: string
  try {
    text = await readFile(join(cluster, 'postmaster.pid'), 'utf8')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw error
  }
  const lines = text.split('\n')
  const pid = Number(lines[0])
  if (!Number.isInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[3]) || undefined, status: lines[7]?.trim() || undefined }
}

/** True while a process with this pid runs. One that has ended but was not collected yet counts as ended. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!isCode(error, 'EPERM')) return false
  }
  if (process.platform !== 'linux') return true
  try {
    // In a container the first process often collects nobody, so an orphan stays a zombie for ever.
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? ''
    return !/^[ZX]/.test(afterName)
  } catch {
    return false
  }
}

/**
 * True if this running process serves this data directory, false if it is some other program that
 * was given the pid since (after a restart of the machine, for one), undefined if that cannot be told.
 */
export async function servesCluster(pid: number, cluster: string): Promise<boolean | undefined> {
  const command = await commandOf(pid)
  // A process that is about to end has no command line any more.
  if (command === undefined || command === '') return undefined
  if (!command.includes('postgres')) return false
  // So we started it. One that a person started may have been told the directory in other ways.
  if (command.includes(cluster)) return true
  try {
    // A server makes its data directory its working directory. Root may not look in every container.
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
 * Frees a `postmaster.pid` whose pid belongs to some other program by now. The file is not removed:
 * it also names the shared memory that children of a killed server may still use, and PostgreSQL
 * looks at that, and clears the file itself, once the pid in it is one that cannot run.
 */
export async function disownPidFile(cluster: string): Promise<void> {
  const path = join(cluster, 'postmaster.pid')
  const [, ...rest] = (await readFile(path, 'utf8')).split('\n')
  await writeFile(path, [String(NO_PID), ...rest].join('\n'))
}

/** True once the server with this pid has ended, whoever has the pid since. */
export async function hasEnded(pid: number, cluster: string): Promise<boolean> {
  return !isRunning(pid) || (await servesCluster(pid, cluster)) === false
}

/** How a server is stopped. Times in milliseconds. */
export interface StopOptions {
  cluster: string
  pid: number
  /** Only Windows needs it: there are no signals. */
  pgCtl: string | undefined
  /** How long a fast shutdown, which writes a last checkpoint, may take. */
  patienceMs: number
  log: (line: string) => void
}

/**
 * Stops the server with this pid: a fast shutdown (connections are ended, everything is written),
 * and, if that takes longer than `patienceMs`, an immediate one, after which the next start recovers
 * from the log. Returns once the process has ended; does nothing if it is not that server any more.
 */
export async function stopServer(options: StopOptions): Promise<void> {
  const { pid, cluster, log } = options
  const gone = () => hasEnded(pid, cluster)
  if (await gone()) return
  if (process.platform === 'win32' && options.pgCtl) {
    await promisify(execFile)(options.pgCtl, ['stop', '-D', cluster, '-m', 'fast', '-w'])
    return
  }
  process.kill(pid, 'SIGINT')
  if (await within(options.patienceMs, gone)) return
  log(`the database did not stop within ${options.patienceMs / 1000} s; stopping it at once`)
  process.kill(pid, 'SIGQUIT')
  if (await within(10_000, gone)) return
  throw new Error(`The database process ${pid} does not stop`)
}

/** Asks every few milliseconds until the answer is yes (true) or the time is over (false). */
export async function within(limitMs: number, done: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = performance.now() + limitMs
  for (let pauseMs = 5; ; pauseMs = Math.min(pauseMs * 1.5, 100)) {
    if (await done()) return true
    if (performance.now() > end) return false
    await sleep(pauseMs)
  }
}
