import { join } from 'node:path'
import { Refusal } from '../domain/errors.ts'
import { mapConcurrently } from '../domain/map-concurrently.ts'
import type { Env } from '../env.ts'
import { DiskStore } from '../files/disk.ts'
import { expiryHourOf, extensionOfName, fileNameOf, PATH_PREFIX, signUrl, verifyUrl } from '../files/names.ts'
import { openS3 } from '../files/s3.ts'
import { servedTypeOf } from '../files/served-types.ts'
import type { FileStore } from '../files/store.ts'
import type { Answer, IncomingRequest } from '../gateway/answer.ts'
import type { LogPort } from '../gateway/ports.ts'
import type { Media } from '../services/history/history-ports.ts'
import type { FilePort } from '../wire/answer.ts'
import { createFileHandler } from './file-handler.ts'
import { createSafeFetch } from './safe-fetch.ts'

/** A file is kept for this long after the hour in which it expires, because clocks differ and downloads take time. */
const SWEEP_MARGIN_MS = 3_600_000

export interface Files {
  /** Where files are kept, for people to read. */
  location: string
  port: FilePort
  answer(request: IncomingRequest): Promise<Answer>
  /** Removes expired files. Returns how many files it removed. */
  sweep(): Promise<number>
  close(): Promise<void>
}

export interface FilesParts {
  store: FileStore
  /** The key that signs addresses. */
  key: Uint8Array
  publicUrl: string
  /** Wall clock in milliseconds since 1970. */
  now(): number
  newId(prefix: string, nowMs: number): string
  readerTimeoutMs: () => number
  log: LogPort
}

/** Opens the store in which this gateway keeps files. */
export async function openStore(env: Env): Promise<FileStore> {
  const { S3_BUCKET: bucket, S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey } = env
  if (!bucket || !accessKeyId || !secretAccessKey) return new DiskStore(join(env.DATA_DIR, 'files'))
  const [endpoint, region, prefix] = [env.S3_ENDPOINT ?? null, env.S3_REGION, env.S3_PREFIX]
  return await openS3({ endpoint, region, bucket, prefix, accessKeyId, secretAccessKey })
}

/** Stores results, serves them, and fetches those that vendors host. */
export function buildFiles(parts: FilesParts): Files {
  const { store, key, publicUrl, now, newId } = parts
  const safeFetch = createSafeFetch()
  return {
    location: store.location,
    port: {
      async save(content, type, untilMs) {
        const name = fileNameOf(newId('file', now()), type, untilMs)
        await storeResult(parts, name, content)
        return { url: signUrl(publicUrl, key, name, untilMs) }
      },
      fetch: safeFetch.fetch,
    },
    answer: createFileHandler(parts),
    sweep: () => store.sweep(expiryHourOf(Math.max(0, now() - SWEEP_MARGIN_MS))),
    close: safeFetch.close,
  }
}

/** Stores `content` under `name`. Rethrows errors of the content itself unchanged, and throws a Refusal if the store fails. */
async function storeResult(
  { store, log }: FilesParts,
  name: string,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  let sourceFailure: { error: unknown } | null = null
  async function* passThrough(source: AsyncIterable<Uint8Array>) {
    try {
      yield* source
    } catch (error) {
      sourceFailure = { error }
      throw error
    }
  }
  try {
    await store.put(
      name,
      content instanceof Uint8Array ? content : passThrough(content),
      servedTypeOf(extensionOfName(name)).type,
    )
  } catch (error) {
    if (sourceFailure) throw (sourceFailure as { error: unknown }).error
    const detail = String((error as { code?: unknown })?.code ?? (error as Error)?.name)
    log.error({ error: detail, store: store.location }, 'a result could not be stored')
    throw new Refusal('unavailable', 'The gateway cannot store the result right now. Try again later.', { detail })
  }
}

const REMOVE_CONCURRENCY = 8

/**
 * Removes results before they expire, in any process. The store is opened when there is a first result to remove. A result that
 * cannot be removed is logged and does not stop the others from being removed. It is removed when it expires, unless the caller
 * can ask again.
 */
export function createMedia(
  open: () => Promise<FileStore>,
  key: Uint8Array,
  log: Pick<LogPort, 'warn'>,
  now: () => number = Date.now,
): Media {
  let store: Promise<FileStore> | null = null
  const openOnce = () => {
    store ??= open().catch((error: unknown) => {
      store = null
      throw error
    })
    return store
  }
  /** The name of the result at an address. Empty if the address is invalid or expired: expired results are swept anyway. */
  const fileNamesIn = (address: string): string[] => {
    if (!URL.canParse(address)) return []
    const { pathname, search } = new URL(address)
    // PUBLIC_URL may have a path.
    const known = verifyUrl(pathname.slice(Math.max(0, pathname.lastIndexOf(PATH_PREFIX))), search, key, now())
    return typeof known === 'string' ? [] : [known.name]
  }
  return {
    async remove(addresses) {
      let failedCount = 0
      let lastError: unknown = null
      await mapConcurrently(addresses.flatMap(fileNamesIn), REMOVE_CONCURRENCY, (name) =>
        openOnce()
          .then((files) => files.remove(name))
          .catch((error: unknown) => {
            failedCount++
            lastError = error
          }),
      )
      if (failedCount > 0)
        log.warn({ count: failedCount, error: String(lastError) }, 'deleted results stay in their store until their time is over')
      return failedCount
    },
  }
}
