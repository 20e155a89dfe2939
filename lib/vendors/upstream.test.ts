import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent } from 'undici'
import { describe, expect, it, vi } from 'vitest'
import { postJson } from './upstream.ts'
import type { WireAnswer } from './vendor.ts'

it('a call that is ended while its connection is still being made does not wait for that', async () => {
  // It accepts connections, but never answers the TLS handshake.
  const server = createServer((socket) => socket.on('error', () => undefined)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ connect: { timeout: 25_000 } })
  try {
    const controller = new AbortController()
    const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
    const asked = postJson(agent, { origin, path: '/' }, {}, '{}', controller)
    const started = performance.now()
    setTimeout(() => controller.abort(), 50)
    await expect(asked).rejects.toMatchObject({ mark: 'vendor_failure', kind: 'cut' })
    expect(performance.now() - started).toBeLessThan(10_000)
  } finally {
    await agent.destroy()
    server.close()
  }
})

/** A server that sends raw answers, and a function to ask it. */
async function serve(answer: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => answer(socket))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent()
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    agent,
    ask: (signal = new AbortController().signal) => postJson(agent, { origin, path: '/' }, {}, '{}', { signal }),
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

const HEAD = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
const framed = (piece: string): string => `${piece.length.toString(16)}\r\n${piece}\r\n`
const endChunks = (socket: Socket) => void socket.write('0\r\n\r\n')

/** Sends pieces in many packets, and then runs `last`. */
const inPackets = (pieces: string[], last: (socket: Socket) => void) => (socket: Socket) => {
  socket.setNoDelay(true)
  socket.write(HEAD)
  const rest = pieces.map(framed)
  const send = () => {
    for (const some of rest.splice(0, 1 + (rest.length % 7))) socket.write(some)
    if (rest.length > 0) setImmediate(send)
    else last(socket)
  }
  send()
}

const PIECES = Array.from({ length: 200 }, (_, at) => `${at} `.repeat(1 + (at % 50)))

it('what comes in many packets, and in one, is read in its order and once', async () => {
  const vendor = await serve(inPackets(PIECES, endChunks))
  try {
    expect(await text((await vendor.ask()).body)).toBe(PIECES.join(''))
  } finally {
    await vendor.close()
  }
})

describe('what is gathered', () => {
  /** Reads an answer piece by piece. What came before it broke off stays in `read`. */
  async function gathered({ body }: WireAnswer, read: string[] = []): Promise<string[]> {
    body.gather?.()
    for await (const piece of body) read.push(Buffer.from(piece).toString())
    return read
  }

  it('is read in its order and once, in few pieces', async () => {
    const vendor = await serve(inPackets(PIECES, endChunks))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    try {
      const read: string[] = []
      let ends = false
      const reading = gathered(await vendor.ask(), read).finally(() => {
        ends = true
      })
      // About thirty packets come, one per turn. Twenty turns count as a millisecond, however slow the machine is.
      for (let turn = 1; !ends; turn++) {
        await new Promise(setImmediate)
        if (turn % 20 === 0) vi.advanceTimersByTime(1)
      }
      await reading
      expect(read.join('')).toBe(PIECES.join(''))
      expect(read.length).toBeLessThan(10)
    } finally {
      vi.useRealTimers()
      await vendor.close()
    }
  })

  it('goes to its reader before the end of a connection that breaks off', async () => {
    const vendor = await serve(inPackets(PIECES, (socket) => socket.end()))
    try {
      const read: string[] = []
      await expect(gathered(await vendor.ask(), read)).rejects.toThrow('other side closed')
      expect(read.join('')).toBe(PIECES.join(''))
    } finally {
      await vendor.close()
    }
  })

  it('is not read on where the call is ended meanwhile', async () => {
    const vendor = await serve((socket) => {
      socket.setNoDelay(true)
      socket.write(HEAD)
      const send = () => {
        if (!socket.destroyed && socket.write(framed('x'))) setImmediate(send)
      }
      send()
    })
    const codes: unknown[] = []
    vendor.agent.on('disconnect', (_origin, _targets, error) => codes.push(error.code))
    try {
      for (let time = 0; time < 20; time++) {
        const ender = new AbortController()
        const { body } = await vendor.ask(ender.signal)
        body.gather?.()
        const reader = body[Symbol.asyncIterator]()
        await reader.next()
        const next = reader.next()
        for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate)
        ender.abort()
        const rest = async () => {
          await next
          while (!(await reader.next()).done);
        }
        await expect(rest()).rejects.toThrow()
      }
      await expect.poll(() => codes.length).toBe(20)
      expect(new Set(codes)).toEqual(new Set(['UND_ERR_INFO']))
    } finally {
      await vendor.close()
    }
  })

  it('is not what comes after a pause', async () => {
    const said = ['one ', 'two ', 'three ', 'four ']
    const vendor = await serve((socket) => {
      const rest = [...said]
      socket.setNoDelay(true)
      socket.write(HEAD)
      const send = () => {
        const piece = rest.shift()
        if (piece === undefined) return endChunks(socket)
        socket.write(framed(piece))
        setTimeout(send, 50)
      }
      send()
    })
    try {
      expect(await gathered(await vendor.ask())).toEqual(said)
    } finally {
      await vendor.close()
    }
  })

  it('waits for a reader that is slow, and the connection with it', async () => {
    const many = Array.from({ length: 4000 }, (_, at) => `${at} `.padEnd(500))
    let sent = 0
    const vendor = await serve((socket) => {
      socket.write(HEAD)
      const send = () => {
        while (sent < many.length) {
          if (!socket.write(framed(many[sent++] ?? ''))) return void socket.once('drain', send)
        }
        endChunks(socket)
      }
      send()
    })
    try {
      const { body } = await vendor.ask()
      body.gather?.()
      const reader = body[Symbol.asyncIterator]()
      const first = await reader.next()
      await sleep(100)
      let read = Buffer.from(first.value ?? '').toString()
      for (let next = await reader.next(); !next.done; next = await reader.next()) {
        read += Buffer.from(next.value).toString()
        expect(next.value.byteLength).toBeLessThan(1024 * 1024)
      }
      expect(read).toBe(many.join(''))
    } finally {
      await vendor.close()
    }
  })
})
