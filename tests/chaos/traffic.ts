import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { parseDecimal } from '#lib/domain/money'
import type { Random } from '../support/random.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'
import type { Account, Stage } from './stage.ts'

const CLIENTS = 24
const MAX_RECENT = 200

/** What a client saw of one HTTP exchange. */
export interface ExchangeResult {
  /** The number of the request among all requests. A repeat has the same number. */
  number: number
  status: number
  requestId: string | null
  /** The request whose answer was replayed here, or null. */
  replayOf: string | null
  /** The last byte arrived: of a whole body, or a stream's `[DONE]`. */
  complete: boolean
  costNano: bigint | null
  /** The beginning of an error body. */
  error: string | null
}

/** Everything that clients have seen. */
export interface Traffic {
  readonly journal: ExchangeResult[]
  /** Numbers of requests with an Idempotency-Key. */
  readonly keyedNumbers: Set<number>
  /** Stops sending, and resolves when every request has ended. */
  stop(): Promise<void>
}

/** A fetch for the SDK that records what comes back, bytes included, before the SDK sees it. */
function recordingFetch(journal: ExchangeResult[]): typeof fetch {
  return async (input, init) => {
    const number = Number(/#(\d+)/.exec(String(init?.body))?.[1] ?? 0)
    const result: ExchangeResult = {
      number,
      status: 0,
      requestId: null,
      replayOf: null,
      complete: false,
      costNano: null,
      error: null,
    }
    journal.push(result)
    const answer = await fetch(input, init)
    result.status = answer.status
    result.requestId = answer.headers.get('x-request-id')
    result.replayOf = answer.headers.get('x-tollgate-replayed')
    const streamed = answer.headers.get('content-type')?.startsWith('text/event-stream')
    let text = ''
    const decoder = new TextDecoder()
    const finish = (complete: boolean) => {
      if (result.status !== 200) result.error = text.slice(0, 500)
      else result.complete ||= complete
      const cost = /"cost":([0-9.]+)/.exec(text)?.[1]
      result.costNano = cost === undefined ? null : parseDecimal(cost)
    }
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        text += decoder.decode(bytes, { stream: true })
        if (streamed && text.endsWith('data: [DONE]\n\n')) finish(true)
        controller.enqueue(bytes)
      },
      flush: () => finish(!streamed),
    })
    return new Response(answer.body?.pipeThrough(watch) ?? null, { status: answer.status, headers: answer.headers })
  }
}

interface KeyedRequest {
  number: number
  key: string
  account: Account
  stream: boolean
}

/** Starts clients that keep calling in every possible way until they are stopped. */
export function startTraffic(stage: Stage, random: Random): Traffic {
  const journal: ExchangeResult[] = []
  const keyedNumbers = new Set<number>()
  const recent: KeyedRequest[] = []
  const fetch = recordingFetch(journal)
  let [running, lastNumber] = [true, 0]
  const createSdk = (account: Account, maxRetries: number) =>
    new OpenAI({ apiKey: account.secret, baseURL: `${random.pick(stage.members).url}/v1`, maxRetries, timeout: 20_000, fetch })

  async function sendOne(): Promise<void> {
    const account = random.pick(stage.accounts)
    const plain = { account, number: ++lastNumber, stream: random.chance(0.5) }
    await random.pickWeighted<() => Promise<void>>([
      [6, () => sendRequest(createSdk(account, 0), plain)],
      [2, () => sendRequest(createSdk(account, 0), plain, { leaveAfterMs: random.integer(1, 60) })],
      [
        2,
        () => {
          const keyedRequest: KeyedRequest = { ...plain, key: `chaos-${plain.number}` }
          recent.push(keyedRequest)
          if (recent.length > MAX_RECENT) recent.shift()
          keyedNumbers.add(keyedRequest.number)
          return sendRequest(createSdk(account, 3), keyedRequest, { key: keyedRequest.key })
        },
      ],
      [
        1,
        () => {
          if (recent.length === 0) return Promise.resolve()
          const keyedRequest = random.pick(recent)
          return sendRequest(createSdk(keyedRequest.account, 1), keyedRequest, {
            key: keyedRequest.key,
            ...(random.chance(0.3) ? { leaveAfterMs: random.integer(1, 30) } : {}),
          })
        },
      ],
    ])()
  }

  async function client(): Promise<void> {
    while (running) {
      const failed = await sendOne().then(
        () => false,
        () => true,
      )
      // A refused client waits a little: a loop of refusals would take the machine's time from the others.
      await sleep(failed ? random.integer(20, 80) : random.integer(0, 15))
    }
  }

  const clients = Array.from({ length: CLIENTS }, client)
  return {
    journal,
    keyedNumbers,
    async stop() {
      running = false
      await Promise.all(clients)
    },
  }
}

/** Sends one request through the official SDK and reads it to its end. Rejects as the SDK does. */
async function sendRequest(
  sdk: OpenAI,
  { number, stream, account }: { number: number; stream: boolean; account: Account },
  options: { key?: string; leaveAfterMs?: number } = {},
): Promise<void> {
  const body = {
    model: number % 5 === 0 ? 'fake/reasoner' : 'fake/chat',
    messages: [{ role: 'user' as const, content: `#${number} Hello.` }],
    max_tokens: 500,
    user: account.id,
  }
  const requestOptions = {
    ...(options.key ? { headers: { 'idempotency-key': options.key } } : {}),
    ...(options.leaveAfterMs === undefined ? {} : { signal: AbortSignal.timeout(options.leaveAfterMs) }),
  }
  if (!stream) {
    await sdk.chat.completions.create(body, requestOptions)
    return
  }
  const streamOptions = number % 3 === 0 ? {} : { stream_options: { include_usage: true } }
  for await (const _ of await sdk.chat.completions.create({ ...body, stream: true, ...streamOptions }, requestOptions));
}

/** Requests a long answer and then reads nothing, for longer than the gateway waits. */
export async function stallReading(stage: Stage, random: Random, forMs: number): Promise<void> {
  const connection = await RawConnection.open(random.pick(stage.members).url).catch(() => null)
  if (!connection) return
  const body = { model: 'fake/chat', messages: [{ role: 'user', content: 'long' }], max_tokens: 500, stream: true }
  const headers: [string, string][] = [
    ['authorization', `Bearer ${random.pick(stage.accounts).secret}`],
    ['content-type', 'application/json'],
  ]
  connection.send(requestBytes({ headers, body: JSON.stringify(body) }))
  await connection.readHead().catch(() => undefined)
  await sleep(forMs)
  connection.destroy()
}
