import { connect, type Socket } from 'node:net'

/** An answer as it arrived. Times are in milliseconds since the request was written. */
export interface Arrived {
  status: number
  body: Buffer
  /** When the first piece of content had arrived. */
  contentMs: number
  lastMs: number
}

const HEAD_END = '\r\n\r\n'
const CONTENT = '"content":"'

/**
 * A keep-alive connection that sends one request after the other and parses answers by hand: an expensive client would hide what
 * is measured.
 */
export class Connection {
  readonly #socket: Socket
  #head: string | null = null
  #pending: Buffer[] = []
  #pendingBytes = 0
  #startedMs = 0
  #contentMs = 0
  #done: ((arrived: Arrived) => void) | null = null
  #failed: ((error: Error) => void) | null = null

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (piece: Buffer) => this.#take(piece))
    socket.on('error', (error) => this.#failed?.(error))
    socket.on('close', () => this.#failed?.(new Error('the connection was closed')))
  }

  static open(port: number): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new Connection(socket)))
      socket.once('error', reject)
    })
  }

  /** Sends a request and resolves with its answer. */
  send(request: Buffer): Promise<Arrived> {
    return new Promise((resolve, reject) => {
      this.#done = resolve
      this.#failed = reject
      this.#head = null
      this.#pending = []
      this.#pendingBytes = 0
      this.#contentMs = 0
      this.#startedMs = performance.now()
      this.#socket.write(request)
    })
  }

  /** How many bytes of the answer in progress have arrived. */
  get received(): number {
    return this.#pendingBytes
  }

  close(): void {
    this.#failed = null
    this.#socket.destroy()
  }

  #take(piece: Buffer): void {
    this.#pending.push(piece)
    this.#pendingBytes += piece.byteLength
    if (this.#contentMs === 0 && piece.includes(CONTENT)) this.#contentMs = performance.now() - this.#startedMs
    // A chunked body ends with an empty chunk, and nothing else does.
    if (this.#head?.includes('chunked') && !endsChunked(piece)) return
    const all = this.#pending.length === 1 ? piece : Buffer.concat(this.#pending)
    this.#pending = [all]
    this.#read(all)
  }

  #read(all: Buffer): void {
    const headEnd = all.indexOf(HEAD_END)
    if (headEnd < 0) return
    const start = headEnd + HEAD_END.length
    const head = this.#head ?? all.toString('latin1', 0, headEnd).toLowerCase()
    this.#head = head
    const chunked = head.includes('transfer-encoding: chunked')
    const length = chunked ? 0 : Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0)
    const body = all.subarray(start)
    if (chunked ? !endsChunked(body) : body.byteLength < length) return
    const done = this.#done
    this.#done = null
    this.#failed = null
    done?.({
      status: Number(head.slice(9, 12)),
      body: chunked ? unchunk(body) : body,
      contentMs: this.#contentMs,
      lastMs: performance.now() - this.#startedMs,
    })
  }
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n')

const endsChunked = (piece: Buffer): boolean =>
  piece.byteLength >= LAST_CHUNK.byteLength && piece.subarray(-LAST_CHUNK.byteLength).equals(LAST_CHUNK)

/** The content of a chunked body. */
function unchunk(body: Buffer): Buffer {
  const parts: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (!(size > 0)) return Buffer.concat(parts)
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
