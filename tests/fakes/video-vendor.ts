import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

type Stage = 'submit' | 'poll' | 'download' | 'cancel'

/** A video at the vendor. */
export interface FakeVideo {
  id: string
  /** The Idempotency-Key of its request. */
  key: string | null
  body: Record<string, unknown>
  status: 'processing' | 'completed' | 'failed'
  error: string
}

/** What a stage does instead of its usual answer. */
export type Behaviour = (response: ServerResponse, video: FakeVideo | null) => void | Promise<void>

/** A point at which calls of a stage wait. */
export interface Gate {
  /** Resolves when a call waits at the gate. By then, the call has changed the vendor's state, but its answer is not sent yet. */
  reached: Promise<void>
  open(): void
}

/** A vendor of videos on a real socket that speaks the specification's wire format. */
export interface VideoVendor extends AsyncDisposable {
  /** With `/v1`, as a connection's base URL. */
  readonly url: string
  readonly videos: FakeVideo[]
  /** Times of all calls of a stage, in milliseconds of the monotonic clock. */
  readonly calls: Record<Stage, number[]>
  /** Sets the status of new videos. */
  setInitialStatus(status: FakeVideo['status']): void
  /** Sets the answer to calls of a stage. Null restores the usual one. */
  setBehaviour(stage: Stage, behaviour: Behaviour | null): void
  /** Makes the next calls of a stage wait. */
  gate(stage: Stage): Gate
}

export const VIDEO_BYTES = Buffer.from('\0\0\0\x18ftypmp42 this is no film, but nobody looks')

export function sendBody(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** Starts the vendor. By default, videos are completed at once. */
export async function startVideoVendor({ idempotent = true, port = 0 } = {}): Promise<VideoVendor> {
  const videos: FakeVideo[] = []
  const calls: Record<Stage, number[]> = { submit: [], poll: [], download: [], cancel: [] }
  const behaviours = new Map<Stage, Behaviour>()
  const gates = new Map<Stage, { wait: Promise<void>; reach(): void }>()
  let first: FakeVideo['status'] = 'completed'

  async function answer(stage: Stage, response: ServerResponse, video: FakeVideo | null, usual: () => void): Promise<void> {
    calls[stage].push(performance.now())
    const gate = gates.get(stage)
    gate?.reach()
    await gate?.wait
    const behaviour = behaviours.get(stage)
    if (behaviour) await behaviour(response, video)
    else usual()
  }

  let origin = ''
  const shown = (video: FakeVideo) => ({
    id: video.id,
    status: video.status,
    ...(video.status === 'completed' ? { video_url: `${origin}/files/${video.id}.mp4` } : {}),
    ...(video.status === 'failed' ? { error: video.error } : {}),
  })

  async function submit(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>
    const key = request.headers['idempotency-key']?.toString() ?? null
    let video = idempotent ? videos.find((item) => item.key === key) : undefined
    if (!video && !behaviours.has('submit')) {
      video = { id: `vendor-${videos.length + 1}`, key, body, status: first, error: 'The scene was too long.' }
      videos.push(video)
    }
    await answer('submit', response, video ?? null, () =>
      sendBody(response, 200, { id: video?.id, status: 'pending', created_at: 1 }, { 'retry-after': '1' }),
    )
  }

  const server = createServer(async (request, response) => {
    const path = request.url ?? ''
    const match = /^\/(?:v1\/videos\/generations|files)(?:\/([\w-]+)(\.mp4|\/cancel)?)?$/.exec(path)
    const video = videos.find((item) => item.id === match?.[1]) ?? null
    if (!match) return sendBody(response, 404, { error: { message: 'no such address' } })
    if (request.method === 'POST' && match[1] === undefined) return await submit(request, response)
    if (match[2] === '.mp4')
      return await answer('download', response, video, () =>
        response.writeHead(200, { 'content-type': 'video/mp4' }).end(VIDEO_BYTES),
      )
    if (match[2] === '/cancel') {
      if (video?.status === 'processing') Object.assign(video, { status: 'failed', error: 'cancelled' })
      return await answer('cancel', response, video, () => sendBody(response, 200, video ? shown(video) : {}))
    }
    await answer('poll', response, video, () =>
      video
        ? sendBody(response, 200, shown(video), { 'retry-after': '1' })
        : sendBody(response, 404, { error: { message: 'no such task' } }),
    )
  })
  const listening = await listen(server, port)
  origin = listening.origin
  return {
    url: `${origin}/v1`,
    videos,
    calls,
    setInitialStatus(status) {
      first = status
    },
    setBehaviour(stage, behaviour) {
      if (behaviour) behaviours.set(stage, behaviour)
      else behaviours.delete(stage)
    },
    gate(stage) {
      let reach = () => {}
      let open = () => {}
      const reached = new Promise<void>((resolve) => {
        reach = resolve
      })
      const wait = new Promise<void>((resolve) => {
        open = resolve
      })
      gates.set(stage, { wait, reach })
      return {
        reached,
        open() {
          gates.delete(stage)
          open()
        },
      }
    },
    [Symbol.asyncDispose]: listening.close,
  }
}
