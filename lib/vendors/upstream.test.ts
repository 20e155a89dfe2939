import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { Agent } from 'undici'
import { expect, it } from 'vitest'
import { postJson } from './upstream.ts'

it('a call that is ended while its connection is still being made does not wait for that', async () => {
  // It takes connections, and never says a word of TLS.
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ connect: { timeout: 25_000 } })
  try {
    const controller = new AbortController()
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const asked = postJson(agent, { origin, path: '/' }, {}, '{}', controller.signal)
    const started = performance.now()
    setTimeout(() => controller.abort(), 50)
    await expect(asked).rejects.toMatchObject({ mark: 'vendor_failure', kind: 'cut' })
    expect(performance.now() - started).toBeLessThan(10_000)
  } finally {
    await agent.destroy()
    server.close()
  }
})

/** A server of raw answers, and how to ask it. */
async function serve(answer: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent()
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    ask: () => postJson(agent, { origin, path: '/' }, {}, '{}', new AbortController().signal),
    async close() {
      await agent.destroy()
      server.close()
    },
  }
}

it('a status that came with a connection that broke off is heard all the same', async () => {
  const vendor = await serve((socket) => {
    socket.end('HTTP/1.1 429 Too Many Requests\r\nretry-after: 7\r\ncontent-length: 100\r\n\r\nhalf')
  })
  try {
    const answer = await vendor.ask()
    expect(answer).toMatchObject({ status: 429, headers: { 'retry-after': '7' } })
    await expect(text(answer.body)).rejects.toThrow('other side closed')
  } finally {
    await vendor.close()
  }
})

it('what comes in many packets, and in one, is read in its order and once', async () => {
  const pieces = Array.from({ length: 200 }, (_, at) => `${at} `.repeat(1 + (at % 50)))
  const vendor = await serve((socket) => {
    socket.setNoDelay(true)
    socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
    const rest = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    const send = () => {
      for (const some of rest.splice(0, 1 + (rest.length % 7))) socket.write(some)
      if (rest.length > 0) setImmediate(send)
      else socket.write('0\r\n\r\n')
    }
    send()
  })
  try {
    expect(await text((await vendor.ask()).body)).toBe(pieces.join(''))
  } finally {
    await vendor.close()
  }
})
