// A vendor that answers at once: a process of its own, told by its parent when to stop. The path says
// how a stream goes: `/v1` as fast as its reader reads, `/slow/v1` one event in ten seconds.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { EVENTS, WHOLE_BODY } from './answers.ts'

const SLOW_MS = 10_000
const whole = Buffer.from(WHOLE_BODY)

/** One write and one turn of the event loop for each event, as a model makes them. */
function stream(response: ServerResponse, at: number): void {
  const event = EVENTS[at]
  if (event === undefined) response.end()
  else if (response.destroyed) return
  else if (response.write(event)) setImmediate(stream, response, at + 1)
  else response.once('drain', () => stream(response, at + 1))
}

function streamSlowly(response: ServerResponse): void {
  let at = 0
  const next = () => response.write(EVENTS[at++ % (EVENTS.length - 3)])
  next()
  next()
  const timer = setInterval(next, SLOW_MS)
  response.on('close', () => clearInterval(timer))
}

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const pieces: Buffer[] = []
  request.on('data', (piece: Buffer) => pieces.push(piece))
  request.on('end', () => {
    process.send?.({ called: performance.timeOrigin + performance.now() })
    if (!Buffer.concat(pieces).includes('"stream":true')) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': whole.byteLength }).end(whole)
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    if (request.url?.startsWith('/slow/')) streamSlowly(response)
    else stream(response, 0)
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
