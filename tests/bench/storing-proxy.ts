// The baseline for storing on the way: Node's own HTTP modules, and the same disk work. Images from an answer are written to
// files, as durably as in the gateway. Uploads are written to a file first and forwarded from there.
import { randomUUID } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { Agent, createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

const upstream = Number(process.argv[2])
const agent = new Agent({ keepAlive: true, maxSockets: 4096 })
const dir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))

const call = (request: IncomingMessage, headers: Record<string, string | string[] | undefined>) =>
  send({ host: '127.0.0.1', port: upstream, method: 'POST', path: request.url, headers, agent })

async function bodyOf(message: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of message) pieces.push(piece)
  return Buffer.concat(pieces)
}

const responseTo = (sent: ReturnType<typeof send>): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => sent.once('response', resolve).once('error', reject))

/** Writes a file that is complete or missing after a power cut. */
async function storeDurably(name: string, bytes: Buffer): Promise<void> {
  const path = join(dir, name)
  const file = await open(`${path}.part`, 'wx')
  await file.writeFile(bytes)
  await file.sync()
  await file.close()
  await rename(`${path}.part`, path)
  const folder = await open(dir, 'r')
  await folder.sync()
  await folder.close()
}

async function storeImage(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const sent = call(request, request.headers)
  sent.end(await bodyOf(request))
  const answer = JSON.parse((await bodyOf(await responseTo(sent))).toString()) as {
    created: number
    data: { b64_json: string }[]
  }
  const name = `${randomUUID()}.png`
  await storeDurably(name, Buffer.from(answer.data[0]?.b64_json ?? '', 'base64'))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/files/${name}`
  const body = Buffer.from(JSON.stringify({ created: answer.created, data: [{ url }] }))
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength }).end(body)
}

async function spoolUpload(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = join(dir, randomUUID())
  try {
    await pipeline(request, createWriteStream(path))
    const sent = call(request, { ...request.headers, 'content-length': String((await stat(path)).size) })
    const answer = responseTo(sent)
    await pipeline(createReadStream(path), sent)
    const body = await bodyOf(await answer)
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.byteLength }).end(body)
  } finally {
    await rm(path, { force: true })
  }
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method === 'GET') {
    response.end(await readFile(join(dir, request.url?.split('/').at(-1) ?? '')))
    return
  }
  await (request.url?.includes('/images/') ? storeImage : spoolUpload)(request, response)
}

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  serve(request, response).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => {
  rm(dir, { recursive: true, force: true }).finally(() => process.exit(0))
})
