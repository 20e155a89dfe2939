import { z } from 'zod'
import type { ModelFacts } from '../domain/catalog.ts'
import { refuseField } from '../domain/errors.ts'
import { formatDecimal } from '../domain/money.ts'
import { mediaUsage } from '../domain/usage.ts'
import type { EncodeTask, JobEndpoint, TaskEndpoint } from './endpoint.ts'
import { modelField } from './fields.ts'
import { type JsonObject, jsonNumber } from './json.ts'
import { parseWith, refusedFields, renamedField } from './schema.ts'

/** Specification 4.9. A model may support only some of them. */
const DURATIONS = [5, 10, 15, 20] as const
const DEFAULT_SECONDS = 5
const MAX_PROMPT_LENGTH = 32_000
const EMPTY_PROMPT = 'it is empty. Describe the video'

const videoRequest = z
  .looseObject({
    ...modelField,
    prompt: z
      .string()
      .min(1, EMPTY_PROMPT)
      .max(MAX_PROMPT_LENGTH)
      .refine((text) => text.trim() !== '', { message: EMPTY_PROMPT })
      .describe('What the video shows.'),
    duration: z
      .union(
        DURATIONS.map((seconds) => z.literal(seconds)),
        { error: `it must be ${DURATIONS.join(', ')} (seconds)` },
      )
      .nullish()
      .describe(`Length in seconds. The default is ${DEFAULT_SECONDS}.`),
    async: z
      .boolean()
      .nullish()
      .describe(
        'If false, the connection stays open until the task is finished, up to a limit. Otherwise the task is returned at once.',
      ),
    n: z.literal(1, { error: 'a task makes one video. Send a request for each' }).nullish().describe('A task makes one video.'),
    seconds: renamedField('duration'),
    ...refusedFields,
  })
  .meta({ id: 'VideoRequest' })

const videoTask = z
  .object({
    id: z.string(),
    object: z.literal('video.generation'),
    status: z.enum(['pending', 'processing', 'completed', 'failed']),
    model: z.string(),
    duration: z.number().int().describe('Length in seconds.'),
    created_at: z.number().int(),
    expires_at: z.number().int().describe('When the task and its video stop being available.'),
    finished_at: z.number().int().optional(),
    video_url: z.string().optional().describe('The URL of the video, once the status is `completed`.'),
    error: z.string().optional().describe('Why there is no video, once the status is `failed`.'),
    usage: z
      .object({ video_seconds: z.number().int(), cost: z.number() })
      .optional()
      .describe('What the task cost, once it is finished.'),
  })
  .meta({ id: 'VideoTask' })

type VideoInput = z.output<typeof videoRequest>

const toUnixSeconds = (time: Date): number => Math.floor(time.getTime() / 1000)

/** Specification 2.6, with more that clients want to know. */
const encode: EncodeTask = (task): JsonObject => ({
  id: task.id,
  object: 'video.generation',
  status: task.state,
  model: task.modelId,
  duration: task.seconds,
  created_at: toUnixSeconds(task.createdAt),
  expires_at: toUnixSeconds(task.expiresAt),
  ...(task.finishedAt === null ? {} : { finished_at: toUnixSeconds(task.finishedAt) }),
  ...(task.state === 'completed' && task.url !== null ? { video_url: task.url } : {}),
  ...(task.state === 'failed' ? { error: task.error ?? 'The video could not be made.' } : {}),
  ...(task.chargedNano === null
    ? {}
    : {
        usage: {
          video_seconds: task.state === 'completed' ? task.seconds : 0,
          cost: jsonNumber(formatDecimal(task.chargedNano)),
        },
      }),
})

const defaultOf = ({ durations }: ModelFacts): number =>
  durations === undefined || durations.includes(DEFAULT_SECONDS) ? DEFAULT_SECONDS : (durations[0] ?? DEFAULT_SECONDS)

function checkDuration(seconds: number, { durations }: ModelFacts): void {
  if (durations === undefined || durations.includes(seconds)) return
  throw refuseField('duration', `This model makes videos of ${durations.join(', ')} seconds; you asked for ${seconds}.`)
}

const answers = { 'application/json': videoTask }

/** POST /v1/videos/generations. Specification 4.9. */
export const createVideo: JobEndpoint<VideoInput, { prompt: string; seconds: number }> = {
  kind: 'job',
  name: 'videos.generations',
  method: 'POST',
  docs: {
    summary: 'Create a video task',
    description:
      'The task is returned at once, with the status `pending`. Poll it until it is `completed` or `failed`: every 5 to 10 seconds for videos of 5 and 10 seconds, every 15 to 30 seconds for longer ones, as Retry-After says. The cost is held until then, and is charged only if the video is completed.',
    answers,
  },
  modalities: ['video'],
  body: { kind: 'json' },
  request: videoRequest,
  parse: (body) => parseWith(videoRequest, body),
  modelOf: (body) => body.model,
  isStreamed: () => false,
  async prepare(body, { model }) {
    const seconds = body.duration ?? defaultOf(model.facts)
    checkDuration(seconds, model.facts)
    return { prompt: body.prompt, seconds }
  },
  bound: ({ seconds }) => ({ usage: mediaUsage({ video_second: BigInt(seconds) }), cap: 0, choices: 1 }),
  text: ({ prompt }) => prompt,
  redact: ({ model, prompt, duration, async }) => ({ model, prompt, duration: duration ?? null, async: async ?? null }),
  ask: (prepared) => prepared,
  waitsForResult: (body) => body.async === false,
  ignoredFieldsOf: (body) => Object.keys(body).filter((name) => !Object.hasOwn(videoRequest.shape, name)),
  encode,
}

/** GET /v1/videos/generations/{id}. Specification 4.10. */
export const retrieveVideo: TaskEndpoint = {
  kind: 'task',
  name: 'videos.retrieve',
  method: 'GET',
  docs: {
    summary: 'Retrieve a video task',
    description: 'While the task is unfinished, Retry-After says when to poll again. A task is available for 24 hours.',
    answers,
    refusals: ['unknown_task'],
  },
  action: 'show',
  encode,
}

/** POST /v1/videos/generations/{id}/cancel, beyond the specification. */
export const cancelVideo: TaskEndpoint = {
  kind: 'task',
  name: 'videos.cancel',
  method: 'POST',
  docs: {
    summary: 'Cancel a video task',
    description:
      'The task becomes `failed`, its vendor is told to stop, and nothing is charged. A task that has already failed is returned unchanged.',
    answers,
    refusals: ['unknown_task', 'task_completed'],
  },
  action: 'cancel',
  encode,
}
