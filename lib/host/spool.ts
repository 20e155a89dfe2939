import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rm, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { Refusal } from '../domain/errors.ts'
import type { Env } from '../env.ts'
import { ByteCapacity, RETRY_AFTER_SECONDS } from '../gateway/byte-capacity.ts'
import type { SpoolFile, SpoolPort } from '../gateway/ports.ts'

const READ_BYTES = 256 * 1024
/** A folder that was not touched for this long is abandoned, whatever its name says. */
const ABANDONED_AFTER_MS = 10 * 60_000
const TOUCH_INTERVAL_MS = 60_000

interface SpoolOptions {
  /** A folder for all processes. It is created if it is missing. */
  dir: string
  /** The name of this machine, and the id of this process on it. */
  host: string
  pid: number
  /** Whether a process of this machine is alive. */
  isAlive(pid: number): boolean
  newName(): string
  now(): number
  /** How many bytes may be stored at once: of one account, and of all. */
  accountBytes: number
  bytes: number
  onFailure(error: unknown, message: string): void
}

/**
 * Uploads of requests in progress, in a folder of this process: `host~pid~random`. A process that is killed leaves its folder
 * behind. The next process that starts removes it, and so do running processes after a while.
 */
export class Spool implements SpoolPort {
  readonly #options: SpoolOptions
  readonly #ownDir: string
  readonly #capacity: ByteCapacity
  readonly #timer: NodeJS.Timeout

  private constructor(options: SpoolOptions, ownDir: string) {
    this.#options = options
    this.#ownDir = ownDir
    const { accountBytes, bytes } = options
    this.#capacity = new ByteCapacity({
      accountBytes,
      bytes,
      what: 'Uploads',
      createRefusal: () => fullRefusal('the spool has no room'),
    })
    this.#timer = setInterval(() => void this.#maintain(), TOUCH_INTERVAL_MS).unref()
  }

  static async open(options: SpoolOptions): Promise<Spool> {
    const ownDir = join(options.dir, `${sanitizeHost(options.host)}~${options.pid}~${options.newName()}`)
    await mkdir(ownDir, { recursive: true, mode: 0o700 })
    const spool = new Spool(options, ownDir)
    await spool.#sweep()
    return spool
  }

  /** Bytes on disk, for tests and metrics. */
  get usedBytes(): number {
    return this.#capacity.used
  }

  ensureCapacity(accountId: string, bytes: number): void {
    this.#capacity.ensureCapacity(accountId, bytes)
  }

  async create(accountId: string): Promise<SpoolFile> {
    const path = join(this.#ownDir, this.#options.newName())
    const handle = await refuseOnDiskError(open(path, 'wx', 0o600))
    let reservedBytes = 0
    let closing: Promise<void> | null = null
    const close = () => {
      closing ??= handle.close()
      return closing
    }
    const releaseBytes = () => {
      this.#capacity.release(accountId, reservedBytes)
      reservedBytes = 0
    }
    return {
      path,
      write: async (pieces) => {
        const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0)
        this.#capacity.take(accountId, bytes)
        reservedBytes += bytes
        await refuseOnDiskError(writeAll(handle, pieces, bytes))
      },
      close: () => refuseOnDiskError(close()),
      read: () => readChunks(path),
      remove: async () => {
        await close().catch(() => undefined)
        await rm(path, { force: true }).catch((error: unknown) => this.#options.onFailure(error, 'an upload stays on disk'))
        releaseBytes()
      },
    }
  }

  /** Removes everything of this process. */
  async close(): Promise<void> {
    clearInterval(this.#timer)
    await rm(this.#ownDir, { recursive: true, force: true })
  }

  async #maintain(): Promise<void> {
    try {
      const now = new Date(this.#options.now())
      await utimes(this.#ownDir, now, now)
      await this.#sweep()
    } catch (error) {
      this.#options.onFailure(error, 'the spool could not be looked after')
    }
  }

  /** Removes what dead processes left behind. */
  async #sweep(): Promise<void> {
    const { dir } = this.#options
    const names = await readdir(dir)
    await Promise.all(
      names.map(async (name) => {
        const path = join(dir, name)
        if (path === this.#ownDir || !(await this.#isAbandoned(name, path))) return
        await rm(path, { recursive: true, force: true }).catch((error: unknown) =>
          this.#options.onFailure(error, 'uploads of a process that is gone stay on disk'),
        )
      }),
    )
  }

  async #isAbandoned(name: string, path: string): Promise<boolean> {
    const { host, pid, isAlive, now } = this.#options
    const [ownerHost, ownerPid] = name.split('~')
    // Only one process with our pid can be alive, and that is this one.
    if (ownerHost === sanitizeHost(host) && (Number(ownerPid) === pid || !isAlive(Number(ownerPid)))) return true
    const found = await stat(path).catch(() => null)
    return found !== null && now() - found.mtimeMs > ABANDONED_AFTER_MS
  }
}

/** A machine's name as part of a folder's name. */
const sanitizeHost = (host: string): string => host.replace(/[^\w.-]/g, '_')

const fullRefusal = (detail: string): Refusal =>
  new Refusal('unavailable', 'The gateway has no room for this upload right now. Try again in a moment.', {
    retryAfter: RETRY_AFTER_SECONDS,
    detail,
  })

/** A full or failing disk is not the fault of a request. The error's message contains paths and is not passed on. */
async function refuseOnDiskError<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw fullRefusal(`the spool's disk: ${(error as { code?: string }).code ?? 'unknown'}`)
  }
}

async function writeAll(handle: FileHandle, pieces: readonly Uint8Array[], bytes: number): Promise<void> {
  const { bytesWritten } = await handle.writev(pieces)
  // A disk that is nearly full takes a part of the data. The next write then reports why it does not take the rest.
  if (bytesWritten < bytes) await handle.appendFile(Buffer.concat(pieces).subarray(bytesWritten))
}

async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  const handle = await open(path, 'r')
  try {
    for (;;) {
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.allocUnsafeSlow(READ_BYTES), length: READ_BYTES })
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

/** Whether a process of this machine is alive, whichever user it belongs to. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** Opens the spool of this process. */
export const openSpool = (env: Pick<Env, 'DATA_DIR' | 'SPOOL_BYTES_PER_ACCOUNT' | 'SPOOL_BYTES'>, log: Logger): Promise<Spool> =>
  Spool.open({
    dir: join(env.DATA_DIR, 'spool'),
    host: hostname(),
    pid: process.pid,
    isAlive,
    newName: () => randomBytes(12).toString('hex'),
    now: () => Date.now(),
    accountBytes: env.SPOOL_BYTES_PER_ACCOUNT,
    bytes: env.SPOOL_BYTES,
    onFailure: (error, message) => log.warn({ error: String(error) }, message),
  })
