import { describe, expect, it } from 'vitest'
import type { IncomingRequest } from './answer.ts'
import { readBody } from './read-body.ts'

const read = (type: string) => {
  const names: Record<string, string> = { 'content-type': type, 'content-length': '2' }
  const headers = { get: (name: string) => names[name] ?? null }
  const request = { method: 'POST', url: 'http://x/', headers, bytes: () => Buffer.from('{}') }
  return readBody(request as unknown as IncomingRequest, 1000, () => undefined)
}

describe('a body that is declared as JSON', () => {
  it.each([
    '',
    '; charset=utf-8',
    ';charset=UTF8',
    '; charset="utf-8"',
    "; charset='UTF-8'",
    '; x=y; Charset = utf-8 ; z=1',
    '; charset=us-ascii',
    '; charset=',
    '; charset=""',
  ])('is read with%s', async (params) => {
    expect((await read(`application/json${params}`)).toString()).toBe('{}')
  })

  it.each(['utf-16', 'UTF-16LE', '"utf-16"', 'iso-8859-1', 'latin1', 'utf-7', 'utf-80'])('is refused in %s', async (charset) => {
    const error = await read(`application/json; charset=${charset}`).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ condition: 'wrong_content', status: 415, message: expect.stringContaining('Send it in UTF-8') })
  })

  it('is refused for its type first', async () => {
    await expect(read('text/plain; charset=utf-16')).rejects.toMatchObject({ message: expect.stringContaining('must be JSON') })
  })
})
