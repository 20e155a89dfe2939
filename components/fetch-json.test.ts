import { afterEach, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { fetchJson } from './fetch-json.ts'

afterEach(() => void vi.unstubAllGlobals())

/** The error that a call ends with when the server responds like this. */
async function ended(status: number, body: string): Promise<unknown> {
  vi.stubGlobal('fetch', async () => new Response(body, { status }))
  return await fetchJson('/api/keys', z.object({ rows: z.array(z.string()) })).catch((error: unknown) => error)
}

it('a refusal of the gateway is told in its own words', async () => {
  const body = { error: { code: 'rate_limit_exceeded', message: 'Other searches are under way.' } }
  expect(await ended(429, JSON.stringify(body))).toMatchObject({ ...body.error, status: 429, field: null })
})

it.each([
  [401, 'signed_out'],
  [429, 'too_many_requests'],
  [502, 'unreachable'],
  [503, 'unreachable'],
  [504, 'unreachable'],
  [500, 'unexpected_answer'],
])('what stands before the gateway and answers %i with a page of its own is told by that: %s', async (status, code) => {
  for (const body of ['<h1>Sorry</h1>', '', '{"message":"no"}']) expect(await ended(status, body)).toMatchObject({ status, code })
})

it('an answer that breaks off is none', async () => {
  const broken = new ReadableStream({ start: (stream) => stream.error(new TypeError('network error')) })
  vi.stubGlobal('fetch', async () => new Response(broken))
  await expect(fetchJson('/api/keys', z.unknown())).rejects.toMatchObject({ status: 0, code: 'unreachable' })
})

it('an answer that is not what was agreed is told as such', async () => {
  expect(await ended(200, '{"rows":[1]}')).toMatchObject({ code: 'unexpected_answer' })
  expect(await ended(200, '{"rows":["a"]}')).toEqual({ rows: ['a'] })
})
