import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'

/** At the end of the name of a file that is being written. */
const PARTIAL = '.new'
/** Writing one never takes this long. */
const MAX_PARTIAL_AGE_MS = 10 * 60_000

/**
 * What the database still has to be told about requests that were refused because it was unknown whether they got through: voids
 * of their charges, and tasks to end. Each is a file until the database has it, so if the process dies before that, the next one
 * posts it.
 */
export class Outbox<Item extends { id: string }> {
  readonly #dir: string
  readonly #suffix: string
  readonly #post: (item: Item) => Promise<unknown>
  readonly #onFailed: (error: unknown, requestId: string) => void

  constructor(options: {
    dir: string
    /** Tells its files from those of other outboxes in the same folder. */
    suffix: string
    post: (item: Item) => Promise<unknown>
    onFailed: (error: unknown, requestId: string) => void
  }) {
    this.#dir = options.dir
    this.#suffix = options.suffix
    this.#post = options.post
    this.#onFailed = options.onFailed
  }

  /**
   * Resolves once the item will survive this process. It is posted after that, by `post` if this process knows a shorter way.
   * Never rejects: a full disk is reported, not waited for.
   */
  async add(item: Item, post: () => Promise<unknown> = () => this.#post(item)): Promise<void> {
    const path = join(this.#dir, item.id + this.#suffix)
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 })
      // A file gets its name only when it is complete.
      await writeFile(path + PARTIAL, serialize(item), { mode: 0o600, flush: true })
      await rename(path + PARTIAL, path)
    } catch (error) {
      this.#onFailed(error, item.id)
      await rm(path + PARTIAL, { force: true }).catch(() => undefined)
    }
    void this.#deliver(post, path)
  }

  /** Posts what dead processes have left here. Posting twice is harmless, and so is a void that comes before its charge. */
  async deliverPending(): Promise<void> {
    const names = await readdir(this.#dir).catch(() => [])
    await this.#removePartialFiles(names)
    const paths = names.filter((name) => name.endsWith(this.#suffix)).map((name) => join(this.#dir, name))
    await Promise.all(
      paths.map(async (path) => {
        // Another process with this folder may have posted it in the meantime.
        const bytes = await readFile(path).catch(() => null)
        if (bytes) await this.#deliver(async () => this.#post(deserialize(bytes) as Item), path)
      }),
    )
  }

  /** Removes half-written files. Their answers had not been refused yet, so nothing has to be given back. */
  async #removePartialFiles(names: readonly string[]): Promise<void> {
    for (const name of names.filter((each) => each.endsWith(this.#suffix + PARTIAL))) {
      const path = join(this.#dir, name)
      const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
      if (Date.now() - mtimeMs > MAX_PARTIAL_AGE_MS) await rm(path, { force: true }).catch(() => undefined)
    }
  }

  async #deliver(post: () => Promise<unknown>, path: string): Promise<void> {
    try {
      await post()
      await rm(path, { force: true })
    } catch (error) {
      this.#onFailed(error, basename(path, this.#suffix))
    }
  }
}
