import { MockAgent } from 'undici'
import { expect, test } from 'vitest'
import type { Connection } from '../domain/catalog.ts'
import { createWireVideos, readVideo } from './video-wire.ts'

test.each([
  ['pending', {}, { state: 'processing' }],
  ['processing', { progress: 40 }, { state: 'processing' }],
  ['failed', { error: 'No boats.' }, { state: 'failed', message: 'No boats.' }],
  ['failed', { error: { message: 'No boats.', code: 'x' } }, { state: 'failed', message: 'No boats.' }],
  ['failed', {}, { state: 'failed', message: '' }],
  ['completed', { video_url: 'https://x/y.mp4' }, { state: 'completed', source: { url: 'https://x/y.mp4' } }],
  ['completed', { video_url: 'u', duration: 8 }, { state: 'completed', source: { url: 'u' }, seconds: 8 }],
  [
    'completed',
    { video_url: 'u', duration: 8, usage: { video_seconds: 4 } },
    { state: 'completed', source: { url: 'u' }, seconds: 4 },
  ],
])('a task that is %s, with %j', (status, more, state) => {
  expect(readVideo({ id: 'v', status, ...more })).toEqual(state)
})

test.each([[{}], [{ status: 'done' }], [{ status: 7 }], [{ status: 'completed' }], [{ status: 'completed', video_url: '' }]])(
  'what cannot be read: %j',
  (fields) => {
    expect(() => readVideo(fields)).toThrow(expect.objectContaining({ kind: 'unreadable' }))
  },
)

/** The wire to a vendor that gives this answer. */
function wireTo(method: string, path: string, answer: string, status = 200) {
  const agent = new MockAgent()
  agent.disableNetConnect()
  agent.get('https://vendor.test').intercept({ method, path }).reply(status, answer)
  const connection = { baseUrl: 'https://vendor.test/v1' } as Connection
  return createWireVideos(connection, agent as never, {}, { idempotent: true })
}
const signal = new AbortController().signal

test.each(['', 'a\0b', 'a\ud800', '.', '..', 'a b', 'é', 'x'.repeat(501), 7, null])('%j is no id of a task', async (id) => {
  const wire = wireTo('POST', '/v1/videos/generations', JSON.stringify({ id }))
  const asked = { deployment: { upstreamModel: 'up' }, prompt: 'x', seconds: 5, key: 'k', signal }
  await expect(wire.submit(asked as never)).rejects.toMatchObject({ kind: 'unreadable' })
})

test.each([200, 202, 206])('the answer to a poll is read whatever good status it has: %s', async (status) => {
  const wire = wireTo('GET', '/v1/videos/generations/v1', '{"status":"processing"}', status)
  expect(await wire.poll({ id: 'v1' }, { signal } as never)).toEqual({ state: 'processing' })
})

test.each([204, 404, 500])('there is no answer to a poll with the status %s', async (status) => {
  const wire = wireTo('GET', '/v1/videos/generations/v1', '', status)
  const polling = wire.poll({ id: 'v1' }, { signal } as never)
  if (status === 404) expect(await polling).toMatchObject({ state: 'failed' })
  else await expect(polling).rejects.toMatchObject({ detail: `status ${status}` })
})

test('an answer to a poll is read no further than any task is long', async () => {
  const wire = wireTo('GET', '/v1/videos/generations/v1', ' '.repeat(3 * 1024 * 1024))
  await expect(wire.poll({ id: 'v1' }, { signal } as never)).rejects.toMatchObject({
    detail: 'an answer that is too long',
  })
})
