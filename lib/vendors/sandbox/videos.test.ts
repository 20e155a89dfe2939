import { expect, test } from 'vitest'
import type { Connection, Deployment } from '../../domain/catalog.ts'
import type { TaskJson } from '../../domain/task.ts'
import type { VideoQuery } from '../vendor.ts'
import { SANDBOX_MODELS } from './models.ts'
import type { VideoSpec } from './render-video.ts'
import { createSandboxVideos } from './videos.ts'

const connection = { id: 'con_sandbox', name: 'sandbox', kind: 'sandbox' } as Connection
const deploymentOf = (upstreamModel: string): Deployment => ({
  id: 'dep',
  upstreamModel,
  weight: 1,
  priority: 0,
  connection,
})
const queryFor = (model: string): VideoQuery => ({
  deployment: deploymentOf(model),
  connection,
  signal: new AbortController().signal,
})

let nowMs = 1_800_000_000_000
const drawn: VideoSpec[] = []
const open = () =>
  createSandboxVideos({ now: () => nowMs }, async (order) => {
    drawn.push(order)
    return Buffer.from('film')
  })

async function begin(model: string, seconds = 10): Promise<TaskJson> {
  const started = await open().submit({ ...queryFor(model), prompt: 'A kite.', seconds, aspect: null, key: 'task_1' })
  if (started.k !== 'started') throw new Error(`status ${started.status}`)
  expect(started.inMs).toBe(seconds * 400)
  return JSON.parse(JSON.stringify(started.operation)) as TaskJson
}

test.each([
  ['sandbox/video', false],
  ['sandbox/video-landscape', true],
])('%s is ready after a while, also for a process that never heard of it', async (model, landscape) => {
  const operation = await begin(model)
  nowMs += 1_000
  expect(await open().poll(operation, queryFor(model))).toEqual({ state: 'processing', inMs: 3_000 })
  nowMs += 3_000
  const done = await open().poll(operation, queryFor(model))
  if (done.state !== 'completed' || !('body' in done.source)) throw new Error(done.state)
  expect(done.source.type).toBe('video/mp4')
  let text = ''
  for await (const piece of done.source.body) text += Buffer.from(piece).toString()
  expect(text).toBe('film')
  expect(drawn.at(-1)).toEqual({ prompt: 'A kite.', seconds: 10, landscape })
})

test('sandbox/error-video fails, and says that it was asked to', async () => {
  const operation = await begin('sandbox/error-video')
  nowMs += 4_000
  expect(await open().poll(operation, queryFor('sandbox/error-video'))).toMatchObject({
    state: 'failed',
    message: expect.stringMatching(/simulated/),
  })
})

test('sandbox/error-video-stuck never ends', async () => {
  const operation = await begin('sandbox/error-video-stuck')
  nowMs += 86_400_000
  expect(await open().poll(operation, queryFor('sandbox/error-video-stuck'))).toEqual({ state: 'processing' })
})

test('a model that it does not have, and a task that is not its own', async () => {
  expect(await open().submit({ ...queryFor('sandbox/chat'), prompt: 'x', seconds: 5, aspect: null, key: 'k' })).toMatchObject({
    k: 'wire',
    status: 404,
  })
  await expect(open().poll({ id: 'x' }, queryFor('sandbox/video'))).rejects.toMatchObject({ kind: 'misconfigured' })
})

test('the catalog lists those that it has', async () => {
  const models = SANDBOX_MODELS.filter(({ modality }) => modality === 'video').map(({ upstreamModel }) => upstreamModel)
  expect(models.length).toBe(4)
  for (const model of models) await begin(model)
})
