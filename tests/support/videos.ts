import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { addModel } from './fixtures.ts'

/** What a second of a video costs in tests, in nano-dollars. */
export const SECOND_PRICE_NANO = 20_000_000n

/** Adds a video model whose vendor speaks the specification's wire format. A vendor of kind `tollgate` knows Idempotency-Key. */
export const addVideoModel = (
  pool: pg.Pool,
  id: string,
  baseUrl: string,
  kind: 'tollgate' | 'openai-compatible' = 'tollgate',
): Promise<void> =>
  addModel(pool, {
    id,
    baseUrl,
    kind,
    modality: 'video',
    units: { video_second: String(SECOND_PRICE_NANO * 1_000_000n) },
    facts: { durations: [5, 10, 15, 20] },
  })

export interface TaskResponse {
  id: string
  object: string
  status: 'pending' | 'processing' | 'completed' | 'failed'
  created_at: number
  expires_at: number
  model: string
  duration: number
  video_url?: string
  error?: string
  usage?: { video_seconds: number; cost: number }
}

/** A client of the video endpoints of one gateway. */
export interface VideoClient {
  call(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: Headers; task: TaskResponse; text: string }>
  /** Begins a video. Throws if that is refused. */
  create(body?: object, headers?: Record<string, string>): Promise<TaskResponse>
  retrieve(id: string): Promise<TaskResponse>
  /** Polls a task until it has one of these statuses, by default for 30 s at most. Throws if its status goes back. */
  pollUntil(id: string, statuses: readonly string[], waitMs?: number): Promise<TaskResponse>
}

const STATUS_ORDER = ['pending', 'processing', 'completed', 'failed']

export function videoClient(url: string, secret: string, model: string): VideoClient {
  const client: VideoClient = {
    async call(method, path, body, headers = {}) {
      const answer = await fetch(`${url}/v1/videos/generations${path}`, {
        method,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const text = await answer.text()
      return { status: answer.status, headers: answer.headers, text, task: JSON.parse(text) as TaskResponse }
    },
    async create(body = {}, headers = {}) {
      const answer = await client.call('POST', '', { model, prompt: 'A paper boat on a stream.', ...body }, headers)
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
      return answer.task
    },
    async retrieve(id) {
      const answer = await client.call('GET', `/${id}`)
      if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
      return answer.task
    },
    async pollUntil(id, statuses, waitMs = 30_000) {
      let lastIndex = 0
      for (const end = performance.now() + waitMs; ; ) {
        const task = await client.retrieve(id)
        const index = STATUS_ORDER.indexOf(task.status)
        if (index < lastIndex) throw new Error(`${id} went from ${STATUS_ORDER[lastIndex]} to ${task.status}`)
        lastIndex = index
        if (statuses.includes(task.status)) return task
        if (performance.now() > end) throw new Error(`${id} is still ${task.status}: ${JSON.stringify(task)}`)
        await sleep(50)
      }
    },
  }
  return client
}
