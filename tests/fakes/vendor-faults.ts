import { setTimeout as sleep } from 'node:timers/promises'
import { type Call, chatChunk, sendEvent, startStream } from './vendor.ts'

type Handler = (call: Call) => void | Promise<void>

/** Writes bytes that need not be HTTP to the vendor's side of the connection, and closes it. */
export const respondRaw =
  (bytes: string): Handler =>
  ({ request }) => {
    request.socket.end(bytes)
  }

/** Closes the connection without an answer. */
export const hangUp = ({ request }: Call): void => {
  request.socket.destroy()
}

/** Keeps the connection open and sends nothing more. */
export const neverRespond = (): void => undefined

/** An answer with a status, a content type and a text. */
export const respondText =
  (text: string, type: string, status = 200, headers: Record<string, string> = {}): Handler =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': type, ...headers }).end(text)
  }

/** A vendor's error answer in OpenAI's shape. */
export const respondError =
  (status: number, error: object, headers: Record<string, string> = {}): Handler =>
  ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify({ error }))
  }

/** Sends an answer of many megabytes for as long as the client takes it. */
export const respondMegabytes =
  (megabytes: number): Handler =>
  async ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const piece = Buffer.alloc(1_000_000, 0x20)
    for (let sent = 0; sent < megabytes && !response.destroyed; sent++)
      if (!response.write(piece)) await Promise.race([new Promise((next) => response.once('drain', next)), sleep(1000)])
    response.end('{"choices":[]}')
  }

/** Writes a stream's bytes unchanged in pieces of a given size, each separately. */
export const respondBytes =
  (bytes: string | Buffer, pieceBytes = Number.POSITIVE_INFINITY, type = 'text/event-stream'): Handler =>
  async ({ response }) => {
    const all = Buffer.from(bytes)
    response.writeHead(200, { 'content-type': type })
    response.socket?.setNoDelay(true)
    for (let at = 0; at < all.length; at += pieceBytes) {
      response.write(all.subarray(at, at + pieceBytes))
      if (pieceBytes < all.length) await new Promise((next) => setImmediate(next))
    }
    response.end()
  }

/** Streams text that arrives before anything else happens, then runs `then`. */
export const respondThen =
  (pieces: readonly string[], then: Handler): Handler =>
  async (call) => {
    startStream(call)
    for (const piece of pieces) sendEvent(call, chatChunk(piece))
    // What follows must not share a packet with the text before.
    await sleep(60)
    await then(call)
  }

/** The bytes of a stream: its chunks as events, each ended by `end`. */
export const streamText = (chunks: readonly (object | string)[], end = '\n\n'): string =>
  chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}${end}`).join('')
