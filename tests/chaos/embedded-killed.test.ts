import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRunning } from '#lib/store/embedded/postmaster'
import { startGateway } from '../support/gateway.ts'
import { makeTestDirectory, removeTestDirectory } from '../support/server.ts'

test.each(['1', '2'])(
  'a gateway of %s that brings its own database brings it back where it is killed, and stops it in the end',
  async (workers) => {
    const dir = await makeTestDirectory()
    try {
      await using gateway = await startGateway({ databaseUrl: '', env: { DATA_DIR: dir, WORKERS: workers } })
      const pidOf = async () =>
        Number.parseInt(await readFile(join(dir, 'postgres', 'server', 'data', 'postmaster.pid'), 'utf8').catch(() => '0'), 10)
      const key = /sk-tg-\w+/.exec(await readFile(join(dir, 'first-start.txt'), 'utf8'))?.[0] ?? ''
      const call = async () => {
        const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }),
        }).catch(() => null)
        return answer?.status
      }
      const healthStatus = async () => (await fetch(`${gateway.url}/healthz`).catch(() => null))?.status
      expect(await call()).toBe(200)
      const killedPid = await pidOf()
      process.kill(killedPid, 'SIGKILL')
      await expect.poll(async () => ((await pidOf()) === killedPid ? 0 : await healthStatus()), { timeout: 60_000 }).toBe(200)
      await expect.poll(call, { timeout: 60_000 }).toBe(200)
      expect(gateway.log()).toContain(`the database (process ${killedPid}) has ended: it is started again`)
      const last = await pidOf()
      expect(await gateway.stop()).toBe(0)
      expect(isRunning(last)).toBe(false)
    } finally {
      await removeTestDirectory(dir)
    }
  },
)
