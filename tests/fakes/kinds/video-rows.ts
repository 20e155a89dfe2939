export type VideoEnd = 'made' | 'failed'

/** A vendor of videos behind its provider package: its answers to a start and to a poll. */
export interface VideoRow {
  upstreamModel: string
  /** Where the vendor or the provider package's types document the format. */
  source: string
  /** The path and the body of the request that starts a video of five seconds. */
  begins: { path: string; body: object }
  /** `origin` is the vendor's. */
  startReply(origin: string): object
  /** The status and the body of a poll. `end` is null while the video is not done. The video is at `/film.mp4`. */
  pollReply(origin: string, end: VideoEnd | null): [status: number, body: object]
}

const PROMPT = 'A paper boat on a stream.'

const fal: VideoRow = {
  upstreamModel: 'fal-ai/kling-video/v2/master/text-to-video',
  source: 'https://fal.ai/docs/model-endpoints/queue',
  // Kling's models expect a number without a unit.
  begins: { path: '/fal-ai/kling-video/v2/master/text-to-video', body: { prompt: PROMPT, duration: '5' } },
  // Its answers contain its own address. A connection with another address is polled there.
  startReply: () => ({
    status: 'IN_QUEUE',
    request_id: 'r1',
    response_url: 'https://queue.fal.run/requests/r1',
    status_url: 'https://queue.fal.run/requests/r1/status',
    cancel_url: 'https://queue.fal.run/requests/r1/cancel',
    queue_position: 0,
  }),
  pollReply: (origin, end) => {
    if (end === null) return [400, { detail: 'Request is still in progress' }]
    if (end === 'failed') return [422, { error: { message: 'unsafe', code: 422 } }]
    return [200, { video: { url: `${origin}/film.mp4`, content_type: 'video/mp4', file_name: 'film.mp4', file_size: 5_000_000 } }]
  },
}

const replicate: VideoRow = {
  upstreamModel: 'minimax/video-01',
  source: 'https://replicate.com/docs/reference/http#predictions.get',
  begins: { path: '/v1/models/minimax/video-01/predictions', body: { input: { prompt: PROMPT, duration: 5 } } },
  startReply: (origin) => ({ id: 'p1', status: 'starting', urls: { get: `${origin}/v1/predictions/p1` } }),
  pollReply: (origin, end) => {
    const head = { id: 'p1', urls: { get: `${origin}/v1/predictions/p1` }, error: null, output: null }
    if (end === null) return [200, { ...head, status: 'processing' }]
    if (end === 'failed') return [200, { ...head, status: 'failed', error: 'unsafe' }]
    return [200, { ...head, status: 'succeeded', output: `${origin}/film.mp4`, metrics: { predict_time: 120.5 } }]
  },
}

const google: VideoRow = {
  upstreamModel: 'veo-3.1-generate-preview',
  source: 'https://ai.google.dev/gemini-api/docs/video',
  begins: {
    path: '/v1beta/models/veo-3.1-generate-preview:predictLongRunning',
    body: { instances: [{ prompt: PROMPT }], parameters: { durationSeconds: 5 } },
  },
  startReply: () => ({ name: 'models/veo/operations/o1' }),
  pollReply: (origin, end) => {
    if (end === null) return [200, { name: 'models/veo/operations/o1', done: false }]
    const samples = { generateVideoResponse: { generatedSamples: [{ video: { uri: `${origin}/film.mp4?alt=media` } }] } }
    const result = end === 'made' ? { response: samples } : { error: { code: 3, message: 'unsafe' } }
    return [200, { name: 'models/veo/operations/o1', done: true, ...result }]
  },
}

/** A row for every kind that makes videos through a package. tests/structure/vendor-kinds.test.ts fails if one is missing. */
export const VIDEO_ROWS = { fal, replicate, google }
