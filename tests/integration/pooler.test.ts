import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { checkPoolCapacity } from '#lib/store/check-database'
import { createDatabase } from '../support/database.ts'

/** A connection pooler in front of a server: it serves as many connections as there are sessions, and the others wait. */
async function startPooler(databaseUrl: string, sessions: number) {
  const { hostname: host, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let openSessions = 0
  const server = createServer((clientSocket) => {
    sockets.add(clientSocket.on('error', () => undefined))
    if (openSessions >= sessions) return
    openSessions++
    const serverSocket = connect({ host, port: Number(port) }).on('error', () => undefined)
    clientSocket.pipe(serverSocket).pipe(clientSocket)
    clientSocket.once('close', () => openSessions--)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

test('a pooler with fewer sessions than a gateway has connections is refused, and says how many it has', async () => {
  await using database = await createDatabase()
  await using pooler = await startPooler(database.url, 3)
  await expect(checkPoolCapacity(pooler.url, 4, 4000)).rejects.toThrow(
    /^of 4 connections, .* it answers 3 and lets the others wait: a pooler/,
  )
  await checkPoolCapacity(pooler.url, 3, 20_000)
})

test('a server that is reached directly is not asked for all of them', async () => {
  await using database = await createDatabase()
  // More connections than it has.
  await checkPoolCapacity(database.url, 2000, 1)
})
