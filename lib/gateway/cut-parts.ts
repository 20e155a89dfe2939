import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'

/** The headers of a part, by their lower-case names, in Latin-1. */
export type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** A body that is no multipart body, or stops before it is whole. */
export class BadMultipart extends Error {
  readonly mark = 'bad_multipart'
}

export interface Cutting {
  boundary: string
  /** The next bytes; null at the end. */
  next(): Promise<Uint8Array | null>
  /** Takes one part. Parts come in order; the next one may begin before this is done with the last bytes of the one before. */
  take(headers: PartHeaders, body: AsyncIterable<Buffer>): Promise<void>
}

const MOST_HEADERS = 32

/**
 * Cuts a multipart body into its parts while it comes, as fast as they are taken. The first thing that goes wrong
 * ends it: what was being taken throws then, and all of it has ended when this throws.
 */
export async function cutParts({ boundary, next, take }: Cutting): Promise<void> {
  const dicer = new Dicer({ boundary, maxHeaderPairs: MOST_HEADERS })
  const race = new Interrupted()
  const parts: Readable[] = []
  const takings: Promise<void>[] = []
  let headless = false
  const isHeadless = () => race.interrupt(new BadMultipart('A part has no header "Content-Disposition".'))

  dicer.on('part', (part: Readable) => {
    if (headless) isHeadless()
    headless = true
    // It is told of an early end by an event, whether or not somebody reads.
    part.on('error', () => undefined)
    parts.push(part)
    part.on('header', (headers: PartHeaders) => {
      headless = false
      if (race.over) return
      takings.push(take(headers, part).catch((error: unknown) => race.interrupt(error)))
    })
  })
  let finished = false
  let release: () => void = () => undefined
  const whole = new Promise<void>((resolve, reject) => {
    dicer.on('finish', () => {
      finished = true
      resolve()
      release()
    })
    dicer.on('error', (error: unknown) =>
      reject(new BadMultipart('It ends before its last boundary, or has a different one.', { cause: error })),
    )
  })
  // Resolves when who takes the parts can take more. Where the last boundary is here already, that is never said.
  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      release = resolve
      dicer.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  // Whoever waits for it may have been interrupted before.
  whole.catch(() => undefined)

  try {
    for (;;) {
      const bytes = await race.unless(next())
      if (bytes === null) break
      // What follows the last boundary has no meaning (RFC 2046, section 5.1.1).
      if (!finished) await race.unless(write(bytes))
    }
    if (!finished) dicer.end()
    await race.unless(whole)
    if (headless) isHeadless()
    await race.unless(Promise.all(takings))
  } catch (error) {
    race.interrupt(error)
    dicer.destroy()
    for (const part of parts) part.destroy()
    await Promise.all(takings)
    throw error
  }
}

/** Waits for one thing after another, unless something goes wrong meanwhile. Promise.race would keep all that was ever waited for. */
class Interrupted {
  #error: { was: unknown } | null = null
  #reject: (error: unknown) => void = () => undefined

  get over(): boolean {
    return this.#error !== null
  }

  /** The first error counts. */
  interrupt(error: unknown): void {
    this.#error ??= { was: error }
    this.#reject(this.#error.was)
  }

  unless<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject
      if (this.#error) reject(this.#error.was)
      work.then(resolve, reject)
    })
  }
}
