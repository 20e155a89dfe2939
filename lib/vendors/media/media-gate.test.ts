import { MockAgent } from 'undici'
import { expect, it, vi } from 'vitest'
import type { MediaDialect } from './media-dialect.ts'
import { mediaFetch } from './media-gate.ts'

const BASE = 'https://images.example'

/** What the package gets from an answer, and whether the gate parsed it as JSON. */
async function fetched(refusalIn?: MediaDialect['refusalIn']): Promise<{ status: number; text: string; isRead: boolean }> {
  const agent = new MockAgent()
  agent.disableNetConnect()
  const body = JSON.stringify({ status: 'Ready', image: 'A'.repeat(1000) })
  agent
    .get(BASE)
    .intercept({ path: '/v1/images', method: 'POST' })
    .reply(200, body, {
      headers: { 'content-type': 'application/json' },
    })
  const dialect = { posts: 1, packageOrigins: [], hosts: null, ...(refusalIn ? { refusalIn } : {}) } as unknown as MediaDialect
  const parse = vi.spyOn(JSON, 'parse')
  const answer = await mediaFetch(dialect, BASE, { posted: 0, status: null }, agent)(`${BASE}/v1/images`, { method: 'POST' })
  const isRead = parse.mock.calls.some(([text]) => text === body)
  parse.mockRestore()
  await agent.close()
  return { status: answer.status, text: await answer.text(), isRead }
}

it('an answer, which can be many megabytes of images, is read only where its vendor refuses in such', async () => {
  expect(await fetched()).toMatchObject({ status: 200, text: expect.stringContaining('Ready'), isRead: false })
  expect(await fetched(() => null)).toMatchObject({ status: 200, isRead: true })
  expect(await fetched(() => 'Moderated')).toMatchObject({ status: 422, text: '{"detail":"Moderated"}' })
})
