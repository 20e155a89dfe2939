import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it, vi } from 'vitest'
import { connectToConsole } from './console-host.ts'
import { Health } from './health.ts'
import { closeHttp, createHttp } from './http.ts'

const ends: (() => void | Promise<void>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const end of ends.splice(0).reverse()) await end()
})

async function listen(server: Server, path?: string): Promise<number> {
  server.listen(path ? { path } : { port: 0, host: '127.0.0.1' })
  await once(server, 'listening')
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return path ? 0 : (server.address() as AddressInfo).port
}

const serverOf = (consoleListener: RequestListener, token?: string): Server =>
  createHttp({
    env: { TRUSTED_PROXIES: [], METRICS_TOKEN: token },
    health: new Health({ ping: async () => true, ticks: () => 0 }),
    metrics: async () => 'up 1',
    lane: null,
    consoleListener,
    behindWorkers: false,
  })

const serveRest = (rest: RequestListener, token?: string): Promise<number> => listen(serverOf(rest, token))

/** A socket path on which the server of one test can listen. */
async function newSocketPath(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tollgate-http-'))
  ends.push(() => rm(dir, { recursive: true, force: true }))
  return join(dir, 'socket')
}

/** Sends a request and keeps the connection open. Returns the connection and what was received on it. */
async function send(port: number, text: string) {
  const socket = connect(port, '127.0.0.1')
  let came = ''
  socket.on('data', (bytes) => {
    came += bytes.toString('latin1')
  })
  socket.on('error', () => undefined)
  ends.push(() => void socket.destroy())
  socket.write(text)
  return { socket, came: () => came }
}

const SLOW = 'POST /api/sign-up HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{'

it('hangs up on who does not send the body of a request for the console, and on nobody else', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let asked = 0
  const port = await serveRest((request, response) => {
    asked++
    request.resume()
    request.on('end', () => request.url === '/long' || response.end('whole'))
  })
  const slow = await send(port, SLOW)
  const whole = await send(port, SLOW.replace('1000', '1').replace('/api/sign-up', '/long'))
  const none = await send(port, 'GET /long HTTP/1.1\r\nHost: x\r\n\r\n')
  await vi.waitFor(() => expect(asked).toBe(3))
  await vi.advanceTimersByTimeAsync(29_000)
  expect(slow.socket.destroyed).toBe(false)
  await vi.advanceTimersByTimeAsync(2000)
  await vi.waitFor(() => expect(slow.socket.destroyed).toBe(true))
  expect([whole, none].map(({ socket }) => socket.destroyed)).toEqual([false, false])
})

it('answers what was on its way when it began to close, on a connection that was idle, and waits for no other', async () => {
  const server = serverOf((_request, response) => void response.end('whole'))
  const port = await listen(server)
  const get = 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n'
  const [asks, idle] = [await send(port, get), await send(port, get)]
  await vi.waitFor(() => expect([asks.came(), idle.came()].every((text) => text.includes('whole'))).toBe(true))
  const began = performance.now()
  const closed = closeHttp(server, 10_000)
  asks.socket.write(get)
  await closed
  expect(performance.now() - began).toBeLessThan(5000)
  expect(asks.came().match(/whole/g)).toHaveLength(2)
  expect(asks.came()).toMatch(/whole.*connection: close.*whole/is)
  await vi.waitFor(() => expect([asks, idle].map(({ socket }) => socket.destroyed)).toEqual([true, true]))
})

it('hands a request on, however many others still send their bodies', async () => {
  const path = await newSocketPath()
  let waiting = 0
  const behind = createServer((request, response) => {
    if (request.method === 'GET') response.end('a page')
    else {
      waiting++
      request.resume()
    }
  })
  await listen(behind, path)
  const remote = connectToConsole(path)
  ends.push(() => remote.close())
  const port = await serveRest(remote.handle)
  await Promise.all(Array.from({ length: 300 }, () => send(port, SLOW)))
  const page = await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(20_000) })
  expect(await page.text()).toBe('a page')
  await expect.poll(() => waiting).toBe(300)
})

it('asks a console that was starting for nobody who has left meanwhile', async () => {
  const path = await newSocketPath()
  const remote = connectToConsole(path)
  ends.push(() => remote.close())
  const port = await serveRest(remote.handle)
  const gone = await send(port, 'GET /gone HTTP/1.1\r\nHost: x\r\n\r\n')
  // By the time another request is answered, this one was tried, and would be retried a moment later.
  const stays = fetch(`http://127.0.0.1:${port}/stays`)
  await sleep(50)
  gone.socket.destroy()
  const asked: string[] = []
  await listen(
    createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end('a page')
    }),
    path,
  )
  expect(await (await stays).text()).toBe('a page')
  await sleep(400)
  expect(asked).toEqual(['/stays'])
})

it('shows its metrics to who has their token, whatever the case of the scheme, and to nobody else', async () => {
  const port = await serveRest((_request, response) => response.end(), 'a token of metrics')
  const statusOf = async (authorization?: string) =>
    (await fetch(`http://127.0.0.1:${port}/metrics`, authorization === undefined ? {} : { headers: { authorization } })).status
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) expect(await statusOf(`${scheme} a token of metrics`)).toBe(200)
  for (const wrong of ['', 'a token of metrics', 'Bearer', 'Bearer ', 'Bearer a token of metric', 'Bearer a token of metrics2'])
    expect(await statusOf(wrong), wrong).toBe(403)
  expect(await statusOf()).toBe(403)
})

it('shows its metrics without a token to this machine, and to no proxy on it', async () => {
  const port = await serveRest((_request, response) => response.end())
  const statusOf = async (version: string, header = '') => {
    const { came } = await send(port, `GET /metrics HTTP/${version}\r\nHost: x\r\nConnection: close\r\n${header}\r\n`)
    await expect.poll(came).toMatch(/^HTTP\/1\.1 \d+/)
    return came().slice(9, 12)
  }
  expect(await statusOf('1.1')).toBe('200')
  // nginx sends this version by default.
  expect(await statusOf('1.0')).toBe('403')
  for (const header of ['X-Forwarded-For: 203.0.113.7', 'X-Real-IP: 203.0.113.7', 'Forwarded: for=203.0.113.7', 'Via: 1.1 proxy'])
    expect(await statusOf('1.1', `${header}\r\n`), header).toBe('403')
})

it.each(['/chat/completions', '/api/v1/chat/completions?a=1', '/responses', '/embeddings/', '/images/generations'])(
  'who posts to %s is told what the base URL lacks, and gets no page of the console',
  async (path) => {
    let asked = 0
    const port = await serveRest((_, response) => {
      asked++
      response.end('a page')
    })
    const url = `http://127.0.0.1:${port}`
    const answer = await fetch(url + path, { method: 'POST', body: '{}' })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await answer.json()).toMatchObject({
      error: { code: 'unknown_url', message: expect.stringMatching(/begin with \/v1/) },
    })
    const posted = ['/api/playground', `/api/sign-up?from=/docs${path}`]
    for (const other of [fetch(url + path), ...posted.map((to) => fetch(url + to, { method: 'POST', body: '{}' }))])
      expect(await (await other).text()).toBe('a page')
    expect(asked).toBe(3)
  },
)

it.each(['/models', '/models/sandbox/chat', '/responses/resp_1', '/v2/videos/generations/task_1?a=1'])(
  'who reads %s with an API key is told what the base URL lacks, and people get their page',
  async (path) => {
    const port = await serveRest((_, response) => response.end('a page'))
    const read = (authorization?: string) =>
      fetch(`http://127.0.0.1:${port}${path}`, authorization === undefined ? {} : { headers: { authorization } })
    for (const key of ['Bearer sk-tg-x', 'bearer  sk-wrong']) {
      const answer = await read(key)
      expect(answer.status).toBe(404)
      expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
      expect(await answer.json()).toMatchObject({
        error: { code: 'unknown_url', message: expect.stringMatching(/begin with \/v1/) },
      })
    }
    // A proxy that signs people in may add a token or a password of its own.
    for (const other of [undefined, 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'Basic c2stdGc6eA=='])
      expect(await (await read(other)).text()).toBe('a page')
  },
)
