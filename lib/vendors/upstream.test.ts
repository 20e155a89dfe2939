import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
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
