import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
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
