import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

/** A request as bytes: nothing is added, merged, checked or fixed, so that it can be as wrong as a test needs. */
export interface RawRequest {
  method?: string
  path?: string
  /** Header lines as they are sent, for example `['authorization', 'Bearer x']`. Names may repeat. Latin-1. */
  headers?: readonly (readonly [string, string])[]
  body?: Buffer | string
  /** Sends the body in chunks of this many bytes instead of with a length. */
  chunkBytes?: number
  /** Omits the length that a body otherwise gets. */
  noLength?: boolean
}

/** The error of the specification's section 7, in OpenAI's shape. */
export interface WireError {
  message: string
  type: string
  param: string | null
  code: string
}

/** An answer that was read to its end. */
export interface RawAnswer {
  status: number
  /** Names in lower case, with all values that arrived. */
  headers: ReadonlyMap<string, readonly string[]>
  /** The only value of a header, or null if there is none. Throws if there are several. */
  header(name: string): string | null
  body: Buffer
  /** Everything that arrived, including status line and headers. */
  text: string
  json(): Record<string, unknown>
  /** The error in its body. Throws if the body has another shape. */
  error(): WireError
}

interface Head {
  status: number
  headers: Map<string, string[]>
  text: string
}

/** The bytes of a request. */
export function requestBytes(request: RawRequest): Buffer {
  const { method = 'POST', path = '/v1/chat/completions', headers = [], chunkBytes } = request
  const body = Buffer.from(request.body ?? '')
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: gateway.test', ...headers.map(([name, value]) => `${name}: ${value}`)]
  if (chunkBytes !== undefined) lines.push('Transfer-Encoding: chunked')
  else if (request.body !== undefined && !request.noLength) lines.push(`Content-Length: ${body.length}`)
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1')
  return Buffer.concat([head, chunkBytes === undefined ? body : chunked(body, chunkBytes)])
}

function chunked(body: Buffer, chunkBytes: number): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; at < body.length; at += chunkBytes) {
    const piece = body.subarray(at, at + chunkBytes)
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'))
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')])
}

/** One connection to a server. It reads only on demand, so that a test can be a client that takes nothing. */
export class RawConnection {
  readonly socket: Socket
  readonly #source: AsyncIterator<Buffer>
  #buffered: Buffer = Buffer.alloc(0)
  #head: Head | null = null
  /** Bytes left of a body with a length, or of a chunk. Infinity for a body that ends with the connection. */
  #remainingBytes = 0
  #chunked = false
  #isBodyEnded = false
  /** How many 100 (Continue) responses arrived before an answer. */
  continueCount = 0

  private constructor(socket: Socket) {
    this.socket = socket
    // The reader sees how the connection ended, so an error of a late write adds nothing.
    socket.on('error', () => undefined)
    this.#source = socket[Symbol.asyncIterator]() as AsyncIterator<Buffer>
  }

  /** Connects to the server of a URL such as `http://127.0.0.1:1234`. */
  static async open(url: string): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    await once(socket, 'connect')
    return new RawConnection(socket)
  }

  send(bytes: Buffer | string): void {
    this.socket.write(bytes)
  }

  /** Status and headers of the next answer, or of a 100 before it if `to100` is set. Throws if the connection ends before. */
  async readHead({ to100 = false } = {}): Promise<Head> {
    let end = this.#buffered.indexOf('\r\n\r\n')
    while (end < 0) {
      if (!(await this.#fill())) throw new Error(`the connection ended before an answer: ${this.#buffered.toString('latin1')}`)
      end = this.#buffered.indexOf('\r\n\r\n')
    }
    const text = this.#buffered.subarray(0, end).toString('latin1')
    this.#buffered = this.#buffered.subarray(end + 4)
    const head = parseHead(text)
    if (head.status === 100) {
      this.continueCount++
      return to100 ? head : await this.readHead()
    }
    this.#setFraming(head)
    this.#head = head
    return head
  }

  /** The next bytes of the body, or null at its end. Throws if the connection ends before the body does. */
  async next(): Promise<Buffer | null> {
    if (this.#isBodyEnded) return null
    if (this.#chunked && this.#remainingBytes === 0) {
      const size = await this.#readLine()
      this.#remainingBytes = Number.parseInt(size, 16)
      if (this.#remainingBytes === 0) {
        await this.#readLine()
        this.#isBodyEnded = true
        return null
      }
    }
    if (this.#buffered.length === 0 && !(await this.#fill())) {
      if (this.#remainingBytes !== Number.POSITIVE_INFINITY) throw new Error('the connection ended inside a body')
      this.#isBodyEnded = true
      return null
    }
    const piece = this.#buffered.subarray(0, Math.min(this.#remainingBytes, this.#buffered.length))
    this.#buffered = this.#buffered.subarray(piece.length)
    this.#remainingBytes -= piece.length
    if (this.#remainingBytes === 0) {
      if (this.#chunked) await this.#readLine()
      else this.#isBodyEnded = true
    }
    return piece
  }

  /** Reads the whole of the next answer. */
  async readAnswer(options: { bodyless?: boolean } = {}): Promise<RawAnswer> {
    const head = this.#head ?? (await this.readHead())
    const pieces: Buffer[] = []
    if (!options.bodyless) for (let piece = await this.next(); piece; piece = await this.next()) pieces.push(piece)
    this.#head = null
    return answerOf(head, Buffer.concat(pieces))
  }

  /** Reads until the other side closes the connection, and returns everything that arrived. */
  async readUntilClosed(): Promise<Buffer> {
    while (await this.#fill());
    return this.#buffered
  }

  /** Closes the connection without notice. */
  destroy(): void {
    this.socket.destroy()
  }

  #setFraming({ status, headers }: Head): void {
    const length = headers.get('content-length')?.[0]
    this.#chunked = headers.get('transfer-encoding')?.[0] === 'chunked'
    this.#remainingBytes = this.#chunked ? 0 : length === undefined ? Number.POSITIVE_INFINITY : Number(length)
    this.#isBodyEnded = status === 204 || status === 304 || (!this.#chunked && this.#remainingBytes === 0)
  }

  async #readLine(): Promise<string> {
    let end = this.#buffered.indexOf('\r\n')
    while (end < 0) {
      if (!(await this.#fill())) throw new Error('the connection ended inside a chunked body')
      end = this.#buffered.indexOf('\r\n')
    }
    const line = this.#buffered.subarray(0, end).toString('latin1')
    this.#buffered = this.#buffered.subarray(end + 2)
    return line
  }

  async #fill(): Promise<boolean> {
    const read = await this.#source.next().catch(() => ({ done: true as const, value: undefined }))
    if (read.done) return false
    this.#buffered = this.#buffered.length === 0 ? read.value : Buffer.concat([this.#buffered, read.value])
    return true
  }
}

function parseHead(text: string): Head {
  const [first = '', ...lines] = text.split('\r\n')
  const headers = new Map<string, string[]>()
  for (const line of lines) {
    const at = line.indexOf(':')
    const name = line.slice(0, at).toLowerCase()
    headers.set(name, [...(headers.get(name) ?? []), line.slice(at + 1).trim()])
  }
  return { status: Number(first.split(' ')[1]), headers, text }
}

function answerOf({ status, headers, text }: Head, body: Buffer): RawAnswer {
  const json = () => JSON.parse(body.toString('utf8')) as Record<string, unknown>
  return {
    status,
    headers,
    header(name) {
      const values = headers.get(name) ?? []
      if (values.length > 1) throw new Error(`${values.length} headers ${name}`)
      return values[0] ?? null
    },
    body,
    text: `${text}\r\n\r\n${body.toString('utf8')}`,
    json,
    error() {
      const { error } = json() as { error?: WireError }
      if (typeof error?.message !== 'string') throw new Error(`not an error: ${body.toString('utf8').slice(0, 300)}`)
      return error
    },
  }
}

/** Sends one request on its own connection and reads the answer, if necessary while still sending. */
export async function sendRaw(url: string, request: RawRequest | Buffer): Promise<RawAnswer> {
  const connection = await RawConnection.open(url)
  try {
    connection.send(Buffer.isBuffer(request) ? request : requestBytes(request))
    return await connection.readAnswer({ bodyless: !Buffer.isBuffer(request) && request.method === 'HEAD' })
  } finally {
    connection.destroy()
  }
}

/** The data of the events in a streamed body, parsed as the HTML standard defines. */
export function eventsOf(body: Buffer | string): string[] {
  const events: string[] = []
  let data: string[] = []
  for (const line of body.toString().split(/\r\n|\r|\n/)) {
    if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''))
    if (line !== '' || data.length === 0) continue
    events.push(data.join('\n'))
    data = []
  }
  return events
}
