import type pg from 'pg'

/** A statement that is prepared on a connection under a name. */
export interface Prepared {
  name: string
  text: string
}

/** Messages of the driver's connection that its types lack or declare differently. */
interface Wire {
  stream: { cork(): void; uncork(): void }
  parse(statement: Prepared): void
  bind(bound: { portal?: string; statement: string; values?: readonly string[] }): void
  execute(from: { portal?: string }): void
  sendCopyFromChunk(bytes: Uint8Array): void
  endCopyFrom(): void
  sync(): void
}

/**
 * Messages that are sent together as one transaction. The server ends it at the Sync that follows them (PostgreSQL manual,
 * "Message Flow": pipelining, and COPY operations).
 */
class Exchange implements pg.Submittable {
  readonly #send: (wire: Wire) => void
  readonly #done: (error: unknown, rows: (string | null)[][]) => void
  readonly #rows: (string | null)[][] = []
  /** Set by the driver if its connection has a `query_timeout`. It stops the timer. */
  callback: (() => void) | null = null

  constructor(send: (wire: Wire) => void, done: (error: unknown, rows: (string | null)[][]) => void) {
    this.#send = send
    this.#done = done
  }

  submit(connection: pg.Connection): void {
    const wire = connection as unknown as Wire
    wire.stream.cork()
    this.#send(wire)
    wire.sync()
    wire.stream.uncork()
  }

  handleDataRow({ fields }: { fields: (string | null)[] }): void {
    this.#rows.push(fields)
  }

  /** Called once, and never before handleReadyForQuery. */
  handleError(error: unknown): void {
    this.callback?.()
    this.#done(error, [])
  }

  handleReadyForQuery(): void {
    this.callback?.()
    this.#done(null, this.#rows)
  }

  // Other messages of the driver. The data of a COPY are sent before the server asks for them.
  handleRowDescription(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyInResponse(): void {}
  handleCopyData(): void {}
}

const exchange = (client: pg.Client, send: (wire: Wire) => void): Promise<(string | null)[][]> =>
  new Promise((resolve, reject) => {
    client.query(new Exchange(send, (error, rows) => (error === null ? resolve(rows) : reject(error))))
  })

/** The portal of a call that is bound before it runs. */
const CALL = 'call'

/** Prepares statements on a connection. */
export async function prepareStatements(client: pg.Client, statements: readonly Prepared[]): Promise<void> {
  await exchange(client, (wire) => {
    for (const statement of statements) wire.parse(statement)
  })
}

/**
 * Copies lines into a table and calls a function, in one transaction and one round trip. Returns the function's rows as text.
 * Rejects with the server's error, and then nothing has taken effect.
 */
export const copyAndCall = (
  client: pg.Client,
  copy: Prepared,
  lines: string,
  call: Prepared,
  values: readonly string[],
): Promise<(string | null)[][]> =>
  exchange(client, (wire) => {
    // Long messages go first. If the connection is cut after the lines, their records exist and are locked until the server
    // notices. So little follows the lines that it arrives in the same packet.
    wire.bind({ portal: CALL, statement: call.name, values })
    wire.bind({ statement: copy.name })
    wire.execute({})
    wire.sendCopyFromChunk(Buffer.from(lines))
    wire.endCopyFrom()
    wire.execute({ portal: CALL })
  })
