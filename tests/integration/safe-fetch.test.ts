import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createSafeFetch, type SafeFetchOptions } from '#lib/host/safe-fetch'

type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void

/** A server on this machine that answers as told, and remembers the requests. */
async function startServer() {
  const requests: IncomingMessage[] = []
  let busy = 0
  let answer: RequestHandler = (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end('picture')
  const server = createServer((request, response) => {
    requests.push(request)
    busy++
    response.once('close', () => busy--)
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    requests,
    setHandler(handler: RequestHandler) {
      answer = handler
    },
    /** The number of answers that have not ended. */
    countOpen: () => busy,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

let own: Awaited<ReturnType<typeof startServer>>
let privateServer: Awaited<ReturnType<typeof startServer>>
const closing: (() => Promise<void>)[] = []

beforeAll(async () => {
  own = await startServer()
  privateServer = await startServer()
})
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
  own.requests.length = 0
  expect(privateServer.requests, 'requests to a private address').toEqual([])
})
afterAll(() => {
  own.close()
  privateServer.close()
})

function createFetcher(options: SafeFetchOptions = {}) {
  const safe = createSafeFetch({ connectTimeoutMs: 1000, idleTimeoutMs: 1000, totalTimeoutMs: 3000, ...options })
  closing.push(safe.close)
  return async (
    url: string,
    { maxBytes = 1000, origin = null as string | null, signal = undefined as AbortSignal | undefined } = {},
  ) => {
    const { type, body } = await safe.fetch(url, maxBytes, origin, signal)
    const pieces: Uint8Array[] = []
    for await (const piece of body) pieces.push(piece)
    return { type, text: Buffer.concat(pieces).toString() }
  }
}

/** Resolves names to these addresses, as a hostile name server would. */
const names =
  (table: Record<string, string[]>): LookupFunction =>
  (name, _options, callback) => {
    const found = table[name]
    if (!found) return callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '', 0)
    callback(null, found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })) as never, 0)
  }

const refusalMatching = (detail: string | RegExp) => ({
  kind: 'refusal',
  condition: 'vendor_failed',
  message: expect.not.stringMatching(/127\.|private|local/),
  detail: expect.stringMatching(detail),
})

describe('an address inside', () => {
  test.each([
    ['loopback', (port: number) => `http://127.0.0.1:${port}/`],
    ['loopback by its name', (port: number) => `http://localhost:${port}/`],
    ['loopback, decimal', (port: number) => `http://2130706433:${port}/`],
    ['loopback, octal', (port: number) => `http://0177.0.0.1:${port}/`],
    ['loopback, hexadecimal', (port: number) => `http://0x7f000001:${port}/`],
    ['loopback, short', (port: number) => `http://127.1:${port}/`],
    ['loopback with a dot', (port: number) => `http://127.0.0.1.:${port}/`],
    ['zero', (port: number) => `http://0.0.0.0:${port}/`],
    ['zero, short', (port: number) => `http://0:${port}/`],
    ['IPv6 loopback', (port: number) => `http://[::1]:${port}/`],
    ['IPv4-mapped', (port: number) => `http://[::ffff:127.0.0.1]:${port}/`],
    ['IPv4-mapped, hexadecimal', (port: number) => `http://[::ffff:7f00:1]:${port}/`],
    ['NAT64', (port: number) => `http://[64:ff9b::7f00:1]:${port}/`],
    ['full-width digits', (port: number) => `http://１２７.0.0.1:${port}/`],
    ['metadata', () => 'http://169.254.169.254/latest/meta-data/'],
    ['private', () => 'http://10.1.2.3/'],
    ['private, https', () => 'https://192.168.0.1/'],
  ])('%s', async (_, url) => {
    await expect(createFetcher()(url(privateServer.port))).rejects.toMatchObject(refusalMatching('a private address'))
  })

  test.each([
    ['one of this machine', ['127.0.0.1']],
    ['one IPv4-mapped', ['::ffff:127.0.0.1']],
    ['one of NAT64', ['64:ff9b::10.0.0.1']],
    ['one that is public and one that is not', ['93.184.216.34', '127.0.0.1']],
    ['none', []],
  ])('a name that stands for %s', async (_, addresses) => {
    const fetch = createFetcher({ lookup: names({ 'rebind.test': addresses }) })
    await expect(fetch(`http://rebind.test:${privateServer.port}/`)).rejects.toMatchObject(refusalMatching('a private address'))
  })

  test('a name that stood for a public address a moment ago', async () => {
    let lookupCount = 0
    const lookup: LookupFunction = (_name, options, callback) => {
      lookupCount++
      // The first is a documentation address, which is refused too. Every lookup is checked again.
      names({ 'rebind.test': [lookupCount === 1 ? '203.0.113.1' : '127.0.0.1'] })('rebind.test', options, callback)
    }
    const fetch = createFetcher({ lookup })
    for (let n = 0; n < 2; n++)
      await expect(fetch(`http://rebind.test:${privateServer.port}/`)).rejects.toMatchObject(refusalMatching('private'))
    expect(lookupCount).toBe(2)
  })

  test.each(['relative to another host', 'absolute'])('behind a redirect, %s', async (kind) => {
    const location = kind === 'absolute' ? `${privateServer.origin}/x` : `//127.0.0.1:${privateServer.port}/x`
    own.setHandler((_, response) => void response.writeHead(302, { location }).end())
    await expect(createFetcher()(own.origin, { origin: own.origin })).rejects.toMatchObject(refusalMatching('a private address'))
    expect(own.requests.length).toBe(1)
  })

  test('is fetched where it is the own origin, and nothing beside it', async () => {
    own.setHandler((_, response) => void response.writeHead(200, { 'content-type': 'Image/PNG; x=y' }).end('picture'))
    const fetch = createFetcher()
    expect(await fetch(`${own.origin}/a?b=c`, { origin: own.origin })).toEqual({ type: 'image/png', text: 'picture' })
    expect(own.requests[0]?.url).toBe('/a?b=c')
    await expect(fetch(own.origin, { origin: privateServer.origin })).rejects.toMatchObject(refusalMatching('private'))
    await expect(fetch(own.origin.replace('127.0.0.1', 'localhost'), { origin: own.origin })).rejects.toMatchObject(
      refusalMatching('private'),
    )
  })
})

describe('what is sent', () => {
  test('has no credentials', async () => {
    own.setHandler((_, response) => void response.end('x'))
    await createFetcher()(own.origin, { origin: own.origin })
    expect(Object.keys(own.requests[0]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
  })

  test.each([
    ['a password', () => own.origin.replace('//', '//user:secret@'), 'password'],
    ['a file', () => 'file:///etc/passwd', 'no http'],
    ['data', () => 'data:text/plain,x', 'no http'],
    ['ftp', () => 'ftp://example.com/x', 'no http'],
    ['no address', () => 'not an address', 'no http'],
    ['nothing', () => '', 'no http'],
  ])('nothing for %s', async (_, url, detail) => {
    await expect(createFetcher()(url(), { origin: own.origin })).rejects.toMatchObject(refusalMatching(detail))
    expect(own.requests).toEqual([])
  })
})

describe('an answer', () => {
  const ask = (options: Parameters<ReturnType<typeof createFetcher>>[1] = {}) =>
    createFetcher()(own.origin, { origin: own.origin, ...options })

  test('that is as large as it may be', async () => {
    own.setHandler((_, response) => void response.end('x'.repeat(1000)))
    expect((await ask()).text.length).toBe(1000)
  })

  test.each<[string, RequestHandler, string | RegExp]>([
    [
      'too large by its length',
      (_, response) => void response.writeHead(200, { 'content-length': 1001 }).flushHeaders(),
      'too large',
    ],
    [
      'too large in pieces',
      (_, response) => void response.write('x'.repeat(600), () => response.write('x'.repeat(600))),
      'too large',
    ],
    [
      'shorter than its length',
      (_, response) => {
        response.writeHead(200, { 'content-length': 900 })
        response.write('x', () => response.destroy())
      },
      'UND_ERR',
    ],
    ['without its end', (_, response) => void response.write('x', () => response.destroy()), 'UND_ERR'],
    ['that never begins', () => undefined, 'UND_ERR_HEADERS_TIMEOUT'],
    ['that stops', (_, response) => void response.write('x'), 'UND_ERR_BODY_TIMEOUT'],
    [
      'that drips',
      (_, response) => {
        const timer = setInterval(() => response.write('x'), 100)
        response.once('close', () => clearInterval(timer))
      },
      /Timeout|23/,
    ],
    ['compressed', (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end('x'), 'compressed'],
    ['of another status', (_, response) => void response.writeHead(403).end('no'), 'status 403'],
    ['that is a part', (_, response) => void response.writeHead(206).end('x'), 'status 206'],
    ['a redirect to nowhere', (_, response) => void response.writeHead(302).end(), 'status 302'],
    ['a redirect to a file', (_, response) => void response.writeHead(302, { location: 'file:///etc/passwd' }).end(), 'no http'],
    ['redirects for ever', (_, response) => void response.writeHead(307, { location: '/again' }).end(), 'too many'],
    ['no HTTP', (request) => void request.socket.end('hello\r\n\r\n'), 'HTTPParserError'],
  ])(
    '%s',
    async (_, answer, detail) => {
      own.setHandler(answer)
      await expect(ask()).rejects.toMatchObject(refusalMatching(detail))
      // Nothing of it goes on in the background.
      await expect.poll(own.countOpen, { timeout: 1000 }).toBe(0)
    },
    10_000,
  )

  test('after three redirects', async () => {
    own.setHandler((request, response) => {
      const at = Number(request.url?.slice(1) || 0)
      if (at === 3) response.end('there')
      else response.writeHead(301, { location: `${at + 1}` }).end('elsewhere')
    })
    expect((await ask()).text).toBe('there')
  })

  test('is left when its caller says so', async () => {
    own.setHandler((_, response) => void response.write('x'))
    const controller = new AbortController()
    const answer = ask({ signal: controller.signal })
    await sleep(100)
    controller.abort()
    await expect(answer).rejects.toMatchObject({ kind: 'refusal', condition: 'vendor_failed' })
  })
})
