import { expect, test } from 'vitest'
import type { TaskView } from './endpoint.ts'
import { createVideo, retrieveVideo } from './videos.ts'

const at = new Date('2026-11-20T10:00:00.900Z')
const task: TaskView = {
  id: 'task_1',
  state: 'pending',
  modelId: 'a/video',
  seconds: 10,
  createdAt: at,
  expiresAt: new Date(at.getTime() + 86_400_000),
  finishedAt: null,
  url: null,
  error: null,
  chargedNano: null,
}
const written = (more: Partial<TaskView>): string => JSON.stringify(retrieveVideo.encode({ ...task, ...more }))

test('a task that is under way has neither an address nor a cost', () => {
  const same = {
    id: 'task_1',
    object: 'video.generation',
    model: 'a/video',
    duration: 10,
    created_at: 1_795_168_800,
    expires_at: 1_795_255_200,
  }
  expect(JSON.parse(written({}))).toEqual({ ...same, status: 'pending' })
  expect(JSON.parse(written({ state: 'processing' }))).toEqual({ ...same, status: 'processing' })
})

test('one that is finished says what it cost, to the last nano, as a number', () => {
  const end = { finishedAt: at, chargedNano: 123_456_789_012_345_678n }
  expect(written({ ...end, state: 'completed', url: 'https://x/y' })).toContain(
    '"video_url":"https://x/y","usage":{"video_seconds":10,"cost":123456789.012345678}',
  )
  expect(written({ ...end, state: 'failed', chargedNano: 0n, error: 'No.' })).toContain(
    '"error":"No.","usage":{"video_seconds":0,"cost":0}',
  )
})

const prepare = (body: object, durations?: number[]) =>
  createVideo.prepare(createVideo.parse({ model: 'a/video', prompt: 'x', ...body } as never), {
    model: { facts: durations ? { durations } : {} },
  } as never)

test('a request without a duration gets 5 seconds, or the first that the model makes', async () => {
  expect(await prepare({})).toEqual({ prompt: 'x', seconds: 5 })
  expect(await prepare({}, [10, 5])).toEqual({ prompt: 'x', seconds: 5 })
  expect(await prepare({}, [10, 20])).toEqual({ prompt: 'x', seconds: 10 })
  expect(await prepare({ duration: 20 }, [10, 20])).toEqual({ prompt: 'x', seconds: 20 })
  await expect(prepare({ duration: 5 }, [10, 20])).rejects.toMatchObject({ param: 'duration' })
})

test('what a client of another API would ask for is told what it is called here, and one task makes one video', () => {
  const parse = (more: object) => () => createVideo.parse({ model: 'a/video', prompt: 'x', ...more } as never)
  expect(parse({ n: 1, seconds: null })).not.toThrow()
  expect(parse({ n: 2 })).toThrow(expect.objectContaining({ param: 'n' }))
  expect(parse({ seconds: '8' })).toThrow(
    expect.objectContaining({ param: 'seconds', message: expect.stringContaining('"duration"') }),
  )
})
