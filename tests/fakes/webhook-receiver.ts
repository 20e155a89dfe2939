import { createServer, type IncomingHttpHeaders } from 'node:http'
import { listen } from './listen.ts'

export interface Heard {
  headers: IncomingHttpHeaders
  body: string
}

/** What an account's holder runs: answers as a test says, and notes what it was sent. */
export interface Receiver {
  url: string
  heard: Heard[]
  answer: { status: number; text: string; location?: string }
  close(): Promise<void>
}

/** Starts one on this machine. Close it. */
export async function receive(port = 0): Promise<Receiver> {
  const heard: Heard[] = []
  const receiver: Receiver = { url: '', heard, answer: { status: 200, text: 'ok' }, close: async () => undefined }
  const server = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('end', () => {
      heard.push({ headers: request.headers, body: Buffer.concat(pieces).toString('utf8') })
      const { status, text, location } = receiver.answer
      response.writeHead(status, location === undefined ? {} : { location }).end(text)
    })
  })
  const { origin, close } = await listen(server, port)
  return Object.assign(receiver, { url: `${origin}/hook`, close })
}
