import { expect, it } from 'vitest'
import { addFile, signedUrl } from '../support/files.ts'
import { type RawAnswer, type RawRequest, sendRaw } from '../support/raw-client.ts'
import type { Host } from './world.ts'

const BYTES = Buffer.alloc(300_000, 'picture ')
const HEADERS = [
  'content-type',
  'content-length',
  'content-disposition',
  'content-range',
  'accept-ranges',
  'content-encoding',
  'x-content-type-options',
  'content-security-policy',
]

/** Files under signed addresses: every header that tells a browser what it may do with them, and no other. */
export function files(host: Host): void {
  const add = (type = 'image/png') => addFile(host.gateway, BYTES, { type })
  const send = (request: RawRequest): Promise<RawAnswer> => sendRaw(host.gateway.url, { method: 'GET', ...request })
  const shownHeadersOf = (answer: RawAnswer) => Object.fromEntries(HEADERS.map((name) => [name, answer.header(name)]))
  const common = {
    'content-type': 'image/png',
    'content-range': null,
    'accept-ranges': 'bytes',
    'content-encoding': null,
    'x-content-type-options': 'nosniff',
    'content-security-policy': 'sandbox',
  }

  /** Next removes the length from every answer of a handler and sends it in chunks. */
  const length = (bytes: number) => (host.name === 'lane' ? String(bytes) : null)

  it('come whole, as what they are', async () => {
    const { path, name } = await add()
    const disposition = `inline; filename="${name.slice(11)}"`
    const headers: [string, string][] = [['accept-encoding', 'gzip, br']]
    const answer = await send({ path, headers })
    expect(answer.status).toBe(200)
    expect(answer.body.equals(BYTES)).toBe(true)
    expect(shownHeadersOf(answer)).toEqual({ ...common, 'content-length': length(300_000), 'content-disposition': disposition })
    const head = await send({ method: 'HEAD', path, headers })
    expect([head.status, shownHeadersOf(head)]).toEqual([200, shownHeadersOf(answer)])
    expect(answer.header('cache-control')).toMatch(/^private, max-age=3[56]\d\d, no-transform$/)
  })

  it('come in parts', async () => {
    const { path, name } = await add()
    const disposition = `inline; filename="${name.slice(11)}"`
    const range: [string, string] = ['range', 'bytes=100000-299998']
    const part = await send({ path, headers: [range, ['if-range', `"${name.slice(11, -4)}"`]] })
    expect([part.status, part.body.equals(BYTES.subarray(100_000, 299_999))]).toEqual([206, true])
    const about = {
      'content-length': length(199_999),
      'content-range': 'bytes 100000-299998/300000',
      'content-disposition': disposition,
    }
    expect(shownHeadersOf(part)).toEqual({ ...common, ...about })
    expect((await send({ path, headers: [range, ['if-range', '"other"']] })).status).toBe(200)
    const beyond = await send({ path, headers: [['range', 'bytes=300000-']] })
    expect([beyond.status, beyond.error().code, beyond.header('content-range')]).toEqual([
      416,
      'range_not_satisfiable',
      'bytes */300000',
    ])
  })

  it('never run in a browser', async () => {
    for (const type of ['text/html', 'image/svg+xml', 'application/javascript']) {
      const { path } = await add(type)
      expect(shownHeadersOf(await send({ path }))).toMatchObject({
        'content-type': 'application/octet-stream',
        'content-disposition': expect.stringMatching(/^attachment; /),
        'content-security-policy': 'sandbox',
      })
    }
  })

  it('are refused in the shape of every error', async () => {
    const { path, name } = await add()
    const cases: [RawRequest, number, string][] = [
      [{ path: path.replace(/signature=.*/, '') }, 403, 'invalid_signature'],
      [{ path: signedUrl(host.gateway.url, name, Date.now() - 1000).path }, 403, 'file_expired'],
      [{ path: signedUrl(host.gateway.url, name.replace(/_\w{26}/, '_01k0abcdefghjkmnpqrstvwxyz')).path }, 404, 'file_not_found'],
      [{ path: path.replace(/\/files\/[^?]*/, '/files/2026112019/..%2f..%2fsecret-key') }, 404, 'unknown_url'],
      [{ path: '/files' }, 404, 'unknown_url'],
      [{ path: '/files/x' }, 404, 'unknown_url'],
      [{ path, method: 'DELETE' }, 405, 'method_not_allowed'],
      [{ path, method: 'OPTIONS' }, 405, 'method_not_allowed'],
    ]
    for (const [request, status, code] of cases) {
      const answer = await send(request)
      expect([answer.status, answer.error().code, answer.header('content-type')]).toEqual([status, code, 'application/json'])
      expect(answer.header('x-content-type-options')).toBe('nosniff')
      expect(answer.header('cache-control')).toBe('no-store, no-transform')
      expect(answer.header('allow')).toBe(status === 405 ? 'GET, HEAD' : null)
    }
  })
}
