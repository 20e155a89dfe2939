// A vendor that answers at once, as a separate process. Below /v1 it speaks OpenAI's wire format, below /anthropic Anthropic's.
// Streams below /slow never end. A model with `-paced` in its name streams at a model's pace.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EVENTS, NON_STREAMING_BODY } from './answers.ts'
import { ANTHROPIC_BODY, ANTHROPIC_EVENTS } from './answers-anthropic.ts'
import { embeddingAnswer, imageAnswer, TRANSCRIPT } from './media.ts'

const SLOW_MS = 10_000
/** The pause between two words of a model that streams 500 of them per second. */
const PACE_MS = 2
const openai = { whole: Buffer.from(NON_STREAMING_BODY), events: EVENTS }
/** The answers of the other addresses, whatever the request. */
const others: readonly [string, Buffer][] = [
  ['/embeddings', embeddingAnswer()],
  ['/images/generations', imageAnswer()],
  ['/audio/transcriptions', Buffer.from(JSON.stringify({ text: TRANSCRIPT }))],
]
const anthropic = { whole: Buffer.from(ANTHROPIC_BODY), events: ANTHROPIC_EVENTS }

/** One write and one turn of the event loop for each event, as with a real model. */
function stream(response: ServerResponse, events: readonly Buffer[], at: number): void {
  const event = events[at]
  if (event === undefined) response.end()
  else if (response.destroyed) return
  else if (response.write(event)) setImmediate(stream, response, events, at + 1)
  else response.once('drain', () => stream(response, events, at + 1))
}

/** The opening and the first word at once, then one word at a time. */
function streamPaced(response: ServerResponse, events: readonly Buffer[]): void {
  const [opening, first, ...rest] = events
  response.write(opening)
  response.write(first)
  const timer = setInterval(() => {
    const event = rest.shift()
    if (event) response.write(event)
    else response.end()
  }, PACE_MS)
  response.on('close', () => clearInterval(timer))
}

function streamSlowly(response: ServerResponse): void {
  let at = 0
  const next = () => response.write(EVENTS[at++ % (EVENTS.length - 3)])
  next()
  next()
  const timer = setInterval(next, SLOW_MS)
  response.on('close', () => clearInterval(timer))
}

function answer(request: IncomingMessage, response: ServerResponse, body: Buffer): void {
  const other = others.find(([path]) => request.url?.endsWith(path))?.[1]
  if (other) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': other.byteLength }).end(other)
    return
  }
  const { whole, events } = request.url?.startsWith('/anthropic/') ? anthropic : openai
  if (!body.includes('"stream":true')) {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.byteLength }).end(whole)
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  if (request.url?.startsWith('/slow/')) streamSlowly(response)
  else if (body.includes('-paced"')) streamPaced(response, events)
  else stream(response, events, 0)
}

let notifiesCalls = false
const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const pieces: Buffer[] = []
  // Uploads are read but not kept.
  const keeps = !request.url?.includes('/audio/')
  request.on('data', (piece: Buffer) => keeps && pieces.push(piece))
  request.on('end', () => {
    if (notifiesCalls) process.send?.({ called: true })
    answer(request, response, Buffer.concat(pieces))
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', (message: { tell: boolean }) => {
  notifiesCalls = message.tell
  process.send?.({ result: null })
})
process.on('disconnect', () => process.exit(0))
