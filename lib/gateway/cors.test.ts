import { describe, expect, it } from 'vitest'
import type { Answer, IncomingRequest } from './answer.ts'
import { answerPreflight, withCorsHeaders } from './cors.ts'

const PAGE = 'https://app.example'
const from = (method: string, headers: Record<string, string>): IncomingRequest =>
  new Request('https://gate.example/v1/models', { method, headers }) as unknown as IncomingRequest
const asking = { origin: PAGE, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,x-a' }

describe('a browser that asks beforehand', () => {
  it('is allowed the method and the headers that it names', () => {
    expect(answerPreflight(from('OPTIONS', asking), '*')).toEqual({
      status: 204,
      headers: {
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization,x-a',
        'access-control-max-age': '7200',
      },
      body: null,
    })
  })

  it('is told its own origin where not all may call, so that no other is told it by a cache', () => {
    expect(answerPreflight(from('OPTIONS', asking), ['https://other.example', PAGE])?.headers).toMatchObject({
      'access-control-allow-origin': PAGE,
      vary: 'Origin',
    })
  })

  it.each([
    ['its origin is not allowed', 'OPTIONS', asking, ['https://other.example']],
    ['nobody may', 'OPTIONS', asking, []],
    ['it does not ask', 'OPTIONS', { origin: PAGE }, '*' as const],
    ['it is no page', 'OPTIONS', { 'access-control-request-method': 'POST' }, '*' as const],
    ['it is the call itself', 'POST', asking, '*' as const],
  ])('is not answered where %s', (_why, method, headers, origins) => {
    expect(answerPreflight(from(method, headers), origins)).toBeNull()
  })
})

describe('an answer', () => {
  const answer: Answer = { status: 200, headers: { 'x-request-id': 'req_1' }, body: 'x' }
  it('can be read by a page with all its headers', () => {
    expect(withCorsHeaders(answer, from('GET', { origin: PAGE }), '*')).toEqual({
      ...answer,
      headers: { 'x-request-id': 'req_1', 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' },
    })
  })
  it('goes as it is to who is no page, and to pages that may not', () => {
    expect(withCorsHeaders(answer, from('GET', {}), '*')).toBe(answer)
    expect(withCorsHeaders(answer, from('GET', { origin: PAGE }), ['https://other.example'])).toBe(answer)
  })
})
