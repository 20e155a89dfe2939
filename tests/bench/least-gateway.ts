// The smallest program that could be called a gateway: it checks the key, checks the body with zod, keeps a hold in memory, calls
// the vendor in the fastest way, reads the usage, and sends the last byte when the charge is on disk. It has no limits, leases,
// history, receipts, breakers or headers of its own. Its result is the most that this machine can reach.
import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { Pool } from 'undici'
import { z } from 'zod'

const [, , upstream = '', databaseUrl = '', secret = ''] = process.argv
const vendor = new Pool(`http://127.0.0.1:${upstream}`, { connections: 256 })
const client = new pg.Client({ connectionString: databaseUrl })
await client.connect()
await client.query('SET synchronous_commit = on')
await client.query('CREATE TABLE least_charge (id bigint PRIMARY KEY, account text NOT NULL, charged_nano bigint NOT NULL)')

const Chat = z.looseObject({
  model: z.string(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.string() })),
  stream: z.boolean().optional(),
})
const keys = new Map([[createHash('sha256').update(secret).digest('hex'), 'account']])

interface Pending {
  id: number
  charged: number
  done: () => void
}
let queue: Pending[] = []
let committing = false
let ids = 0

/** Group commit: what arrives while one commit is in progress goes into the next. */
async function commit(): Promise<void> {
  committing = true
  while (queue.length > 0) {
    const batch = queue
    queue = []
    await client.query({
      name: 'charge',
      text: `INSERT INTO least_charge SELECT id, 'account', charged FROM unnest($1::bigint[], $2::bigint[]) AS t (id, charged)`,
      values: [batch.map(({ id }) => id), batch.map(({ charged }) => charged)],
    })
    for (const { done } of batch) done()
  }
  committing = false
}

const charge = (charged: number): Promise<void> =>
  new Promise((done) => {
    queue.push({ id: ++ids, charged, done })
    if (!committing) void commit()
  })

const bodyOf = (message: IncomingMessage): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    message.on('data', (piece: Buffer) => pieces.push(piece))
    message.on('end', () => resolve(Buffer.concat(pieces)))
    message.on('error', reject)
  })

const ask = (path: string, body: string): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    vendor.dispatch(
      { method: 'POST', path, headers: { 'content-type': 'application/json' }, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_controller, piece) => void pieces.push(piece),
        onResponseEnd: () => resolve(Buffer.concat(pieces)),
        onResponseError: (_controller, error) => reject(error),
      },
    )
  })

const server = createServer({ keepAliveTimeout: 120_000 }, async (request, response) => {
  const hash = createHash('sha256')
    .update((request.headers.authorization ?? '').slice('Bearer '.length))
    .digest('hex')
  if (!keys.has(hash)) {
    response.writeHead(401).end()
    return
  }
  const asked = Chat.parse(JSON.parse((await bodyOf(request)).toString()))
  const answer = await ask(request.url ?? '/', JSON.stringify({ ...asked, model: 'bench-upstream', max_completion_tokens: 4096 }))
  const told = JSON.parse(answer.toString()) as { model: string; usage: Record<string, unknown> & { total_tokens: number } }
  const charged = told.usage.total_tokens * 1000
  await charge(charged)
  const body = JSON.stringify({ ...told, model: asked.model, usage: { ...told.usage, cost: charged / 1e9 } })
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }).end(body)
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
process.on('disconnect', () => process.exit(0))
