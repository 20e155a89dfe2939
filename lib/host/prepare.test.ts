import { createServer } from 'node:net'
import { expect, it } from 'vitest'
import { banner, choosePort } from './prepare.ts'

it('a port of 0 is one that can be listened on; any other stays', async () => {
  const port = await choosePort({ PORT: 0, HOST: '127.0.0.1' })
  expect(port).toBeGreaterThan(1023)
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  server.close()
  expect(await choosePort({ PORT: 3000, HOST: '127.0.0.1' })).toBe(3000)
})

it('the banner names the address that clients use', () => {
  const env = { PORT: 41_234, DATA_DIR: '.data' } as Parameters<typeof banner>[0]
  expect(banner(env, null)).toContain('Tollgate serves http://localhost:41234\n')
  expect(banner({ ...env, PUBLIC_URL: 'https://gate.example.com' }, null)).toContain('https://gate.example.com\n')
})
