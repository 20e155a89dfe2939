import { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { expiryHourIn, isFileName } from './names.ts'
import type { FileStore, OpenFile } from './store.ts'

export interface S3Settings {
  /** The address of an S3-compatible store, or null for Amazon's own in the region. */
  endpoint: string | null
  region: string
  bucket: string
  /** The beginning of every key. */
  prefix: string
  accessKeyId: string
  secretAccessKey: string
}

type Sdk = typeof import('@aws-sdk/client-s3')
type Clients = Record<'read' | 'write', S3Client>
type LibStorage = typeof import('@aws-sdk/lib-storage')
type Timeouts = Readonly<Record<'openMs' | 'writeIdleMs' | 'abortMs', number>>

/** The most sockets of all downloads of this process, which take one each, and of the uploads beside them. */
const MAX_SOCKETS = 1024
const CONNECT_MS = 5_000
/** A download is given up if nothing has arrived or been read for this long. */
const READ_IDLE_MS = 60_000
/** How long to wait for a store that does not respond. */
const TIMEOUTS: Timeouts = {
  /** The longest time to find out whether an object exists, with all retries. Somebody is waiting for the file. */
  openMs: 10_000,
  /** An upload that makes no progress for this long is retried, up to three tries in total. A request is waiting for it. */
  writeIdleMs: 15_000,
  /** How long to try to discard the parts of a failed upload. A store that does not respond will not receive that either. */
  abortMs: 5_000,
}
const DELETE_CONCURRENCY = 8

/** Opens a bucket of an S3-compatible store for files. The SDK is large and is loaded only here. */
export async function openS3(settings: S3Settings, timeouts = TIMEOUTS): Promise<FileStore> {
  const [sdk, storage] = await Promise.all([import('@aws-sdk/client-s3'), import('@aws-sdk/lib-storage')])
  const { endpoint, region, accessKeyId, secretAccessKey } = settings
  const sockets = { keepAlive: true, maxSockets: MAX_SOCKETS }
  const client = (socketTimeout: number) =>
    new sdk.S3Client({
      region,
      // A self-hosted store rarely has a host name for each bucket.
      ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
      credentials: { accessKeyId, secretAccessKey },
      // A store must not fail because it does not know newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      requestHandler: { connectionTimeout: CONNECT_MS, socketTimeout, httpAgent: sockets, httpsAgent: sockets },
    })
  const clients = { read: client(READ_IDLE_MS), write: client(timeouts.writeIdleMs) }
  return new S3Store(settings, clients, sdk, storage, timeouts)
}

class S3Store implements FileStore {
  readonly location: string
  readonly #bucket: string
  readonly #prefix: string
  readonly #readClient: S3Client
  readonly #writeClient: S3Client
  readonly #sdk: Sdk
  readonly #storage: LibStorage
  readonly #timeouts: Timeouts

  constructor(
    { bucket, endpoint, region, prefix }: S3Settings,
    clients: Clients,
    sdk: Sdk,
    storage: LibStorage,
    timeouts: Timeouts,
  ) {
    this.location = `${bucket} at ${endpoint === null ? `Amazon, ${region}` : new URL(endpoint).host}`
    this.#bucket = bucket
    this.#prefix = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`
    this.#readClient = clients.read
    this.#writeClient = clients.write
    this.#sdk = sdk
    this.#storage = storage
    this.#timeouts = timeouts
  }

  #objectOf(name: string) {
    return { Bucket: this.#bucket, Key: this.#prefix + name }
  }

  /** Stores an object. It appears when it is complete: at the end of its only request, or of its last part. */
  async put(name: string, content: Uint8Array | AsyncIterable<Uint8Array>, type: string): Promise<{ bytes: number }> {
    if (content instanceof Uint8Array) {
      await this.#writeClient.send(new this.#sdk.PutObjectCommand({ ...this.#objectOf(name), Body: content, ContentType: type }))
      return { bytes: content.byteLength }
    }
    let bytes = 0
    async function* counted(source: AsyncIterable<Uint8Array>) {
      for await (const piece of source) {
        bytes += piece.byteLength
        yield piece
      }
    }
    const Body = Readable.from(counted(content))
    // The length is not known, so it goes in parts of 5 MiB, two in flight. The library would discard them with the long write
    // timeout.
    const params = { ...this.#objectOf(name), Body, ContentType: type }
    const upload = new this.#storage.Upload({ client: this.#writeClient, params, queueSize: 2, leavePartsOnError: true })
    try {
      await upload.done()
    } catch (error) {
      Body.destroy()
      await this.#abortUpload(name, upload.uploadId)
      throw error
    }
    return { bytes }
  }

  /** Tells the store to discard the parts of an upload. */
  async #abortUpload(name: string, uploadId: string | undefined): Promise<void> {
    if (uploadId === undefined) return
    const command = new this.#sdk.AbortMultipartUploadCommand({ ...this.#objectOf(name), UploadId: uploadId })
    const abortSignal = AbortSignal.timeout(this.#timeouts.abortMs)
    await this.#writeClient.send(command, { abortSignal }).catch(() => undefined)
  }

  async open(name: string): Promise<OpenFile | null> {
    const { HeadObjectCommand } = this.#sdk
    const readAbort = new AbortController()
    try {
      const abortSignal = AbortSignal.timeout(this.#timeouts.openMs)
      const { ContentLength = 0 } = await this.#readClient.send(new HeadObjectCommand(this.#objectOf(name)), { abortSignal })
      return {
        bytes: ContentLength,
        read: (first, last) => this.#readRange(name, first, last, readAbort.signal),
        close: async () => readAbort.abort(),
      }
    } catch (error) {
      // HEAD has no body, so the status is the only sign.
      if ((error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode === 404) return null
      throw error
    }
  }

  async *#readRange(name: string, first: number, last: number, abortSignal: AbortSignal): AsyncGenerator<Uint8Array> {
    const command = new this.#sdk.GetObjectCommand({ ...this.#objectOf(name), Range: `bytes=${first}-${last}` })
    const { Body } = await this.#readClient.send(command, { abortSignal })
    const body = Body as Readable
    // The download goes on, even if nobody reads it, until its socket is closed.
    const destroyBody = () => void body.destroy()
    abortSignal.addEventListener('abort', destroyBody, { once: true })
    try {
      yield* body
    } finally {
      abortSignal.removeEventListener('abort', destroyBody)
    }
  }

  /** Keys come in order and begin with their hour, so files that have not expired need not be listed. */
  async sweep(beforeHour: string): Promise<number> {
    const pages = this.#sdk.paginateListObjectsV2({ client: this.#writeClient }, { Bucket: this.#bucket, Prefix: this.#prefix })
    let count = 0
    for await (const { Contents = [] } of pages) {
      const names = Contents.map(({ Key = '' }) => Key.slice(this.#prefix.length)).filter(isFileName)
      const expired = names.filter((name) => expiryHourIn(name) < beforeHour)
      for (let at = 0; at < expired.length; at += DELETE_CONCURRENCY)
        await Promise.all(expired.slice(at, at + DELETE_CONCURRENCY).map((name) => this.remove(name)))
      count += expired.length
      if (expired.length < names.length) break
    }
    return count
  }

  async remove(name: string): Promise<void> {
    await this.#writeClient.send(new this.#sdk.DeleteObjectCommand(this.#objectOf(name)))
  }
}
