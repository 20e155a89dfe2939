import { Redis } from 'ioredis'
import type { CountsAnswer, CountsAsk, SharedCounts } from '../gateway/limits/counts-protocol.ts'
import { reasonOf } from '../setup/error-reason.ts'
import { ENTER_SCRIPT, HEARTBEAT_SCRIPT, STRIKE_SCRIPT, TAKE_SCRIPT } from './redis-scripts.ts'

/** All keys have one hash tag, because a script may touch several of them, in a Redis cluster too. */
const KEY_PREFIX = '{tollgate}:'
const PROCESSES_KEY = `${KEY_PREFIX}processes`
const MAX_RECONNECT_MS = 500
/** Shorter than a start waits for Redis, so that the first line in the log can say why there is no connection. */
const CONNECT_TIMEOUT_MS = 1500

type Fields = (string | number)[]
type Commands = Record<'take' | 'strike' | 'enter' | 'beat', (...args: Fields) => unknown>

/**
 * The counts in Redis or Valkey, shared by processes on many machines. Each ask is one script, and each message is one pipeline.
 * While the connection is lost, asks reject at once.
 */
export class RedisCounts implements SharedCounts {
  readonly #redis: Redis
  readonly #process: string
  #sharers = 1
  /** Why there is no connection, from the last attempt. Reported only in errors. */
  #lastError: string | null = null
  /** True if there is a connection, but not to the database that the URL names. */
  #selectFailed = false

  constructor(options: { url: string; process: string }) {
    this.#process = options.process
    this.#redis = new Redis(options.url, {
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      connectTimeout: CONNECT_TIMEOUT_MS,
      retryStrategy: (times) => Math.min(50 * times, MAX_RECONNECT_MS),
      scripts: {
        take: { lua: TAKE_SCRIPT, numberOfKeys: 1 },
        strike: { lua: STRIKE_SCRIPT, numberOfKeys: 1 },
        enter: { lua: ENTER_SCRIPT, numberOfKeys: 2 },
        beat: { lua: HEARTBEAT_SCRIPT, numberOfKeys: 1 },
      },
    })
    // The caller gets the failure and its reason. Errors of a connection that nobody uses are ignored.
    const secure = /^rediss:/i.test(options.url)
    this.#redis.on('error', (error) => {
      this.#lastError = reasonOf(error)
      if ((error as { command?: { name?: unknown } }).command?.name === 'select') this.#selectFailed = true
      // A server without TLS does not understand the TLS greeting and waits for the rest of it.
      if (secure && /ETIMEDOUT|wrong version number|packet length/i.test(this.#lastError))
        this.#lastError += ' (does it speak TLS, as rediss:// says?)'
    })
    this.#redis.on('connect', () => {
      this.#selectFailed = false
    })
    this.#redis.on('ready', () => {
      if (!this.#selectFailed) this.#lastError = null
    })
  }

  /** Resolves when the connection is up, or after `ms`. */
  async waitUntilReady(ms: number): Promise<void> {
    if (this.#redis.status === 'ready') return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#redis.once('ready', () => {
        clearTimeout(timer)
        resolve()
      })
    })
  }

  async send(asks: CountsAsk[]): Promise<{ sharers: number; answers: CountsAnswer[] }> {
    if (this.#redis.status !== 'ready')
      throw new Error(`the connection to Redis is ${[this.#redis.status, this.#lastError].filter(Boolean).join(': ')}`)
    // The client continues with the first database, which may belong to somebody else.
    if (this.#selectFailed) throw new Error(`the database in REDIS_URL is not available: ${this.#lastError}`)
    const pipeline = this.#redis.pipeline()
    const commands = pipeline as unknown as Commands
    // Sent with every message, so that a new process gets its share at once.
    commands.beat(PROCESSES_KEY, this.#process)
    for (const ask of asks) this.#add(commands, ask)
    const results = (await pipeline.exec()) ?? []
    for (const [error] of results) if (error) throw error
    const fields = results.map(([, result]) => result as Fields)
    this.#sharers = Number(fields.shift())
    return { sharers: this.#sharers, answers: asks.map((ask, at) => answerOf(ask, fields[at] ?? [])) }
  }

  /** Gives back at once what this process held. Asks that wait for a response do not get one. */
  async stop(): Promise<void> {
    if (this.#redis.status === 'ready') await this.#redis.zrem(PROCESSES_KEY, this.#process).catch(() => undefined)
    this.#redis.disconnect()
  }

  #add(commands: Commands, ask: CountsAsk): void {
    if (ask.kind === 'strike') commands.strike(`${KEY_PREFIX}strikes:${ask.address}`, ask.count)
    else if (ask.kind === 'enter') {
      const { key, most, running, need, block } = ask
      commands.enter(
        `${KEY_PREFIX}places:${key}`,
        PROCESSES_KEY,
        this.#process,
        most,
        running,
        need,
        block ? 1 : 0,
        this.#sharers,
      )
    } else {
      const { key, rpm, tpm, tokens, window, back, block } = ask
      const { requests } = back
      commands.take(
        `${KEY_PREFIX}minute:${key}`,
        ...[rpm, tpm, this.#sharers, window ?? '', requests, back.tokens, block ? 1 : 0, ...tokens],
      )
    }
  }
}

function answerOf(ask: CountsAsk, fields: Fields): CountsAnswer {
  if (ask.kind === 'strike') return { strikes: Number(fields[0]), endsInMs: Number(fields[1]) }
  if (ask.kind === 'enter') return { granted: Number(fields[0]), block: Number(fields[1]) }
  const [window, endsInMs, requests, tokens, blockRequests, blockTokens, ...full] = fields.map(String)
  return {
    window: window ?? '',
    endsInMs: Number(endsInMs),
    used: { requests: Number(requests), tokens: Number(tokens) },
    full: full.map((name) => (name === 'requests' || name === 'tokens' ? name : null)),
    block: { requests: Number(blockRequests), tokens: Number(blockTokens) },
  }
}
