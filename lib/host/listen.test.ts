import { createServer, type Server } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { choosePort, listen } from './listen.ts'

let server: Server

afterEach(() => server?.close())

it('a port of 0 is one that can be listened on; any other that is free stays', async () => {
  const port = await choosePort({ PORT: 0, HOST: '127.0.0.1' })
  expect(port).toBeGreaterThan(1023)
  expect(await choosePort({ PORT: port, HOST: '127.0.0.1' })).toBe(port)
  server = createServer()
  await listen(server, { port, host: '127.0.0.1' })
})

it('a port that is taken, and a host that is none, name their settings', async () => {
  server = createServer()
  await listen(server, { port: 0, host: '127.0.0.1' })
  const { port } = server.address() as { port: number }
  await expect(choosePort({ PORT: port, HOST: '127.0.0.1' })).rejects.toThrow(/^PORT, HOST: .*EADDRINUSE/)
  await expect(choosePort({ PORT: 0, HOST: '127.0.0.1:3000' })).rejects.toThrow(/^PORT, HOST: .*ENOTFOUND 127\.0\.0\.1:3000/)
})
