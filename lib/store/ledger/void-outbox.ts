import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Settlement } from '../../domain/settlement.ts'

const SUFFIX = '.void'
const PARTIAL_SUFFIX = `${SUFFIX}.new`
/** Writing one never takes this long. */
const MAX_PARTIAL_AGE_MS = 10 * 60_000

/**
 * Voids on their way to the database, for answers that were refused because it was unknown whether their charge got through.
 * Each is a file until the database has it, so if the process dies before that, the next one posts it.
 */
export class VoidOutbox {
  readonly #dir: string
  readonly #post: (settlement: Settlement) => Promise<unknown>
  readonly #onFailed: (error: unknown, requestId: string) => void

  constructor(options: {
    dir: string
    post: (settlement: Settlement) => Promise<unknown>
    onFailed: (error: unknown, requestId: string) => void
  }) {
    this.#dir = options.dir
    this.#post = options.post
    this.#onFailed = options.onFailed
  }

  /**
   * Resolves once the void will survive this process. It is posted after that. Never rejects: a full disk is reported, not
   * waited for.
   */
  async add(settlement: Settlement): Promise<void> {
    const path = join(this.#dir, settlement.id + SUFFIX)
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      // A file gets its name only when it is complete.
      await writeFile(`${path}.new`, serialize(settlement), { mode: 0o600, flush: true })
      await rename(`${path}.new`, path)
    } catch (error) {
      this.#onFailed(error, settlement.id)
      await rm(`${path}.new`, { force: true }).catch(() => undefined)
    }
    void this.#deliver(() => settlement, path)
  }

  /** Posts what dead processes have left here. Posting twice is harmless, and so is a void that comes before its charge. */
  async deliverPending(): Promise<void> {
    const names = await readdir(this.#dir).catch(() => [])
    await this.#removePartialFiles(names)
    const paths = names.filter((name) => name.endsWith(SUFFIX)).map((name) => join(this.#dir, name))
    await Promise.all(
      paths.map(async (path) => {
        // Another process with this folder may have posted it in the meantime.
        const bytes = await readFile(path).catch(() => null)
        if (bytes) await this.#deliver(() => deserialize(bytes) as Settlement, path)
      }),
    )
  }

  /** Removes half-written files. Their answers had not been refused yet, so nothing has to be given back. */
  async #removePartialFiles(names: readonly string[]): Promise<void> {
    for (const name of names.filter((each) => each.endsWith(PARTIAL_SUFFIX))) {
      const path = join(this.#dir, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
      if (Date.now() - mtimeMs > MAX_PARTIAL_AGE_MS) await rm(path, { force: true }).catch(() => undefined)
    }
  }

  async #deliver(read: () => Settlement, path: string): Promise<void> {
    try {
      await this.#post(read())
      await rm(path, { force: true })
    } catch (error) {
      this.#onFailed(error, basename(path, SUFFIX))
    }
  }
}
