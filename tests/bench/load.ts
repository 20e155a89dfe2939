// The client: a separate process, so that its work does not count as the gateway's. It runs one job at a time for its parent.
import { checkAnswer } from './answers.ts'
import { type Arrived, Connection } from './connection.ts'
import { digestOf, EMBED_TEXT, FORM_TYPE, form, image, TRANSCRIPT, UPLOAD_BYTES, wav } from './media.ts'

export type Kind = 'whole' | 'stream' | 'embed' | 'image' | 'upload'

/** A number of connections, each sending the same request repeatedly for a time. */
export interface Job {
  kind: Kind
  port: number
  secret: string
  model: string
  connections: number
  ms: number
  headers?: Record<string, string> | undefined
  /** The gateway writes these answers itself, so each has its own id and time. */
  bridged?: boolean | undefined
  /** The size of an upload. 25 MiB by default. */
  uploadBytes?: number | undefined
}

export interface Outcome {
  /** Answers within the time. */
  answers: number
  /** All answers, including the first one, with which the others are compared. */
  sent: number
  tookMs: number
  contentMs: number[]
  lastMs: number[]
}

const json = (path: string, fields: object) => ({ path, type: 'application/json', body: Buffer.from(JSON.stringify(fields)) })

/** The path, content type and body of a job's request. */
function askOf({ kind, model, uploadBytes = UPLOAD_BYTES }: Job): { path: string; type: string; body: Buffer } {
  if (kind === 'embed') return json('/v1/embeddings', { model, input: EMBED_TEXT })
  if (kind === 'image') return json('/v1/images/generations', { model, prompt: 'A gate', size: '1024x1024' })
  if (kind === 'upload') return { path: '/v1/audio/transcriptions', type: FORM_TYPE, body: form(model, wav(uploadBytes)) }
  return json('/v1/chat/completions', {
    model,
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: 'What is a prepaid gateway?' },
    ],
    max_tokens: 200,
    ...(kind === 'stream' ? { stream: true } : {}),
  })
}

function requestOf(job: Job): Buffer {
  const { path, type, body } = askOf(job)
  const head = Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${job.port}\r\nauthorization: Bearer ${job.secret}\r\n` +
      Object.entries(job.headers ?? {})
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('') +
      `content-type: ${type}\r\ncontent-length: ${body.byteLength}\r\n\r\n`,
  )
  return Buffer.concat([head, body])
}

/** The part of an answer that has to be the same each time: without our own ids and times, and without addresses of files. */
function normalizeBody({ kind, bridged }: Job, body: Buffer): Buffer {
  if (bridged) return Buffer.from(body.toString().replace(/"id":"chatcmpl-\w+"|"created":\d+/g, ''))
  return kind === 'image' ? Buffer.from(body.toString().replace(/"url":"[^"]+"|"created":\d+/g, '')) : body
}

/** Checks the content of the first answer. An image is fetched from the address in the answer. */
async function checkContent({ kind }: Job, body: string): Promise<void> {
  if (kind === 'whole' || kind === 'stream') return checkAnswer(kind, body)
  const answer = JSON.parse(body) as { text?: string; data?: { url?: string; embedding?: number[] }[] }
  if (kind === 'upload' && answer.text === TRANSCRIPT) return
  if (kind === 'embed' && answer.data?.[0]?.embedding?.length === 1536) return
  const url = kind === 'image' ? answer.data?.[0]?.url : undefined
  if (url && digestOf(new Uint8Array(await (await fetch(url)).arrayBuffer())) === digestOf(image())) return
  throw new Error(`an answer says something else: ${body.slice(0, 300)}`)
}

/** Only the content of the first answer is checked. Every other one has to be the same, byte for byte. */
function check(job: Job, expected: Buffer, { status, body }: Arrived): void {
  if (status !== 200 || !normalizeBody(job, body).equals(expected))
    throw new Error(`an answer to a ${job.kind} request is not like the first one: ${status} ${body.toString().slice(0, 500)}`)
}

async function run(job: Job): Promise<Outcome> {
  const request = requestOf(job)
  const connections = await Promise.all(Array.from({ length: job.connections }, () => Connection.open(job.port)))
  const first = await (connections[0] as Connection).send(request)
  if (first.status !== 200) throw new Error(`the answer is ${first.status}: ${first.body.toString().slice(0, 500)}`)
  await checkContent(job, first.body.toString())
  const expected = normalizeBody(job, first.body)
  const contentMs: number[] = []
  const lastMs: number[] = []
  const started = performance.now()
  const until = started + job.ms
  const work = async (connection: Connection) => {
    while (performance.now() < until) {
      const arrived = await connection.send(request)
      check(job, expected, arrived)
      contentMs.push(arrived.contentMs)
      lastMs.push(arrived.lastMs)
    }
  }
  await Promise.all(connections.map(work))
  const tookMs = performance.now() - started
  for (const connection of connections) connection.close()
  return { answers: lastMs.length, sent: lastMs.length + 1, tookMs, contentMs, lastMs }
}

const open: Connection[] = []

/** Opens streams that do not end. Resolves when each has received content. */
async function openStreams(job: Job): Promise<void> {
  const request = requestOf(job)
  const before = open.length
  for (let at = 0; at < job.connections; at++) {
    const connection = await Connection.open(job.port)
    connection.send(request).catch((error: unknown) => process.send?.({ dropped: String(error) }))
    open.push(connection)
  }
  while (open.slice(before).some((connection) => connection.received < 400)) await new Promise((done) => setTimeout(done, 20))
}

function closeStreams(): void {
  for (const connection of open.splice(0)) connection.close()
}

process.on('message', (message: { run?: Job; hold?: Job; letGo?: true }) => {
  const work = message.run ? run(message.run) : message.hold ? openStreams(message.hold) : Promise.resolve(closeStreams())
  work.then(
    (result) => process.send?.({ result: result ?? null }),
    (error: unknown) => process.send?.({ failed: error instanceof Error ? error.message : String(error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.send?.({ port: 0 })
