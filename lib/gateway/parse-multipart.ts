import type { Readable } from 'node:stream'
import { Dicer } from '@fastify/busboy'
import { InterruptibleWait } from './interruptible-wait.ts'

/** The headers of a part, by lower-case name, in Latin-1. */
export type PartHeaders = Readonly<Record<string, readonly string[] | undefined>>

/** A body that is not multipart, or ends before it is complete. */
export class InvalidMultipartError extends Error {
  readonly mark = 'bad_multipart'
}

export interface MultipartOptions {
  boundary: string
  /** The next bytes; null at the end. */
  next(): Promise<Uint8Array | null>
  /** Takes one part. Parts come in order; the next one may begin before this one has finished with the last bytes of its part. */
  handlePart(headers: PartHeaders, body: AsyncIterable<Buffer>): Promise<void>
}

const MAX_HEADERS = 32

/**
 * Cuts a multipart body into its parts as it arrives, as fast as they are taken. The first error ends it: a part that is
 * being taken throws, and everything has ended by the time this function throws.
 */
export async function parseMultipart({ boundary, next, handlePart }: MultipartOptions): Promise<void> {
  const dicer = new Dicer({ boundary, maxHeaderPairs: MAX_HEADERS })
  const interruption = new InterruptibleWait()
  const parts: Readable[] = []
  const partPromises: Promise<void>[] = []
  let awaitsHeaders = false
  const interruptHeadless = () => interruption.interrupt(new InvalidMultipartError('A part has no header "Content-Disposition".'))

  dicer.on('part', (part: Readable) => {
    if (awaitsHeaders) interruptHeadless()
    awaitsHeaders = true
    // An early end is reported as an event, whether or not somebody reads the part.
    part.on('error', () => undefined)
    parts.push(part)
    part.on('header', (headers: PartHeaders) => {
      awaitsHeaders = false
      if (interruption.interrupted) return
      partPromises.push(handlePart(headers, part).catch((error: unknown) => interruption.interrupt(error)))
    })
  })
  let finished = false
  let release: () => void = () => undefined
  const allParsed = new Promise<void>((resolve, reject) => {
    dicer.on('finish', () => {
      finished = true
      resolve()
      release()
    })
    dicer.on('error', (error: unknown) =>
      reject(new InvalidMultipartError('It ends before its last boundary, or has a different one.', { cause: error })),
    )
  })
  // Resolves when the consumer of the parts can take more. If the last boundary has already arrived, that is never reported.
  const write = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => {
      release = resolve
      dicer.write(bytes, (error) => (error ? reject(error) : resolve()))
    })
  // Nobody may be waiting for this promise any more after an interruption.
  allParsed.catch(() => undefined)

  try {
    for (;;) {
      const bytes = await interruption.waitFor(next())
      if (bytes === null) break
      // What follows the last boundary has no meaning (RFC 2046, section 5.1.1).
      if (!finished) await interruption.waitFor(write(bytes))
    }
    if (!finished) dicer.end()
    await interruption.waitFor(allParsed)
    if (awaitsHeaders) interruptHeadless()
    await interruption.waitFor(Promise.all(partPromises))
  } catch (error) {
    interruption.interrupt(error)
    dicer.destroy()
    for (const part of parts) part.destroy()
    await Promise.all(partPromises)
    throw error
  }
}
