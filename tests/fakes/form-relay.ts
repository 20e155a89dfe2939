import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openLane } from '#lib/host/lane'
import { relayForm, spool, state } from './relay-form.ts'

/**
 * A process that reads forms and forwards them, without the rest of the gateway, so that its memory is that of the forms alone:
 * at /v1/forms through the fast lane, at /web from a request as Next has it. It is configured with DATA_DIR, VENDOR and
 * SPOOL_BYTES. It tells its parent where it listens and, on request, its figures.
 */
let peak = 0
setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss())
}, 10)

async function serveWeb(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  incoming.on('error', () => undefined)
  const disconnect = new AbortController()
  outgoing.once('close', () => disconnect.abort())
  const body = Readable.toWeb(incoming) as ReadableStream<Uint8Array>
  const headers = incoming.headers as Record<string, string>
  const request = new Request('http://localhost/web', { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
  const answer = await relayForm(request, disconnect.signal)
  outgoing.writeHead(answer.status).end(answer.body)
}

const lane = await openLane(join(import.meta.dirname, 'lane'), () => 5000, ['v1'])
const server = createServer({ requestTimeout: 0 }, (incoming, outgoing) => {
  if (!lane(incoming, outgoing)) serveWeb(incoming, outgoing).catch(() => outgoing.destroy())
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('message', () => {
  process.send?.({ rss: process.memoryUsage.rss(), peak, usedBytes: spool.usedBytes, running: state.running })
  peak = 0
})
process.on('disconnect', () => process.exit(0))
