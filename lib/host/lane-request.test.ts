import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, it } from 'vitest'
import { LaneRequest } from './lane-request.ts'

it.each([
  ['half of its body', 'hal'],
  ['all of its body', 'halves'],
])('a client that left after %s, before anybody read, is not waited for', async (_, body) => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
    client.write(`POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 6\r\n\r\n${body}`)
    const [incoming, outgoing] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
    client.destroy()
    await once(outgoing, 'close')
    await expect(new LaneRequest(incoming, outgoing).bytes()).rejects.toThrow('closed')
  } finally {
    server.close()
  }
})

it('bodies that are here are read at once, each its own, and their connection goes on', async () => {
  const bodies = ['first', '', 'x'.repeat(1_000_000), 'last']
  const server = createServer((incoming, outgoing) => {
    setTimeout(async () => {
      const reading = new LaneRequest(incoming, outgoing).bytes()
      const bytes = await reading
      outgoing.setHeader('at-once', String(!(reading instanceof Promise)))
      outgoing.end(createHash('sha256').update(bytes).digest('hex'))
    }, 20)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const { port } = server.address() as AddressInfo
    const ports = new Set<number | undefined>()
    for (const body of bodies) {
      const sent = request({ port, method: 'POST', agent, headers: { 'content-length': body.length } }).end(body)
      const [answer] = (await once(sent, 'response')) as [IncomingMessage]
      ports.add(answer.socket.localPort)
      expect(Buffer.concat(await answer.toArray()).toString()).toBe(createHash('sha256').update(body).digest('hex'))
      expect(answer.headers['at-once'], body.slice(0, 9)).toBe(String(body.length < 1000))
    }
    expect(ports.size).toBe(1)
  } finally {
    agent.destroy()
    server.close()
  }
})
