import { expect, it } from 'vitest'
import { addFile } from '../support/files.ts'
import { sendRaw } from '../support/raw-client.ts'
import type { Host } from './world.ts'

const ORIGIN_HEADER: [string, string] = ['origin', 'https://app.example']
const CORS_HEADERS = { 'access-control-allow-origin': '*', 'access-control-expose-headers': '*' }

/** Web pages of other origins: the preflight request of a browser, and the headers that let a page read the answer. */
export function webPages(host: Host): void {
  const send = (method: string, path: string, headers: [string, string][]) =>
    sendRaw(host.gateway.url, { method, path, headers: [ORIGIN_HEADER, ...headers] })

  it.each(['/v1/chat/completions', '/v1/models', '/v1/nothing', '/files/x'])('may call %s, with a key', async (path) => {
    const answer = await send('OPTIONS', path, [
      ['access-control-request-method', 'POST'],
      ['access-control-request-headers', 'authorization, content-type, x-stainless-lang'],
    ])
    expect([answer.status, answer.body.length]).toEqual([204, 0])
    expect(answer.header('access-control-allow-origin')).toBe('*')
    expect(answer.header('access-control-allow-methods')).toBe('POST')
    expect(answer.header('access-control-allow-headers')).toBe('authorization, content-type, x-stainless-lang')
    expect(answer.header('x-request-id')).toBeNull()
  })

  it('read answers and refusals', async () => {
    const { path } = await addFile(host.gateway, Buffer.from('x'), { type: 'image/png' })
    const answers = await Promise.all(
      ['/v1/models', '/v1/nothing', path].map((address) => send('GET', address, [['authorization', 'Bearer sk-tg-wrong']])),
    )
    expect(answers.map(({ status }) => status)).toEqual([401, 404, 200])
    for (const answer of answers)
      for (const [name, value] of Object.entries(CORS_HEADERS)) expect(answer.header(name)).toBe(value)
    // A browser that showed the answer may cache it, and a page may read it later. Next adds values of its own to this header.
    expect(answers[2]?.headers.get('vary')).toContain('Origin')
  })

  it('are told nothing more where they ask for nothing', async () => {
    expect((await send('OPTIONS', '/v1/models', [])).status).toBe(405)
    const plain = await sendRaw(host.gateway.url, { method: 'GET', path: '/v1/models', headers: [] })
    for (const name of Object.keys(CORS_HEADERS)) expect(plain.header(name)).toBeNull()
  })
}
