import { createServer, type IncomingHttpHeaders } from 'node:http'
import { listen } from './listen.ts'

export interface ReceivedWebhook {
  headers: IncomingHttpHeaders
  body: string
}

/** A webhook endpoint of an account's holder. It answers as the test says, and records what it received. */
export interface WebhookReceiver {
  url: string
  received: ReceivedWebhook[]
  answer: { status: number; text: string; location?: string }
  close(): Promise<void>
}

/** Starts a receiver on this machine. Close it afterwards. */
export async function startWebhookReceiver(port = 0): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  const receiver: WebhookReceiver = { url: '', received, answer: { status: 200, text: 'ok' }, close: async () => undefined }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      received.push({ headers: request.headers, body: Buffer.concat(pieces).toString('utf8') })
      const { status, text, location } = receiver.answer
      response.writeHead(status, location === undefined ? {} : { location }).end(text)
    })
  })
  const { origin, close } = await listen(server, port)
  return Object.assign(receiver, { url: `${origin}/hook`, close })
}
