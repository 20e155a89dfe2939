import { expect, it } from 'vitest'
import { chatAnswer, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { addAccount, addKey } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller, loadOperatorRoutes, SECRET } from './operator-world.ts'

const routes = await loadOperatorRoutes()

it('what an operator connects answers in every running process within a second, without a restart', async () => {
  const world = await openConsoleWorld()
  await using vendor = await startFakeVendor()
  vendor.answer((vendorCall) => sendJson(vendorCall, chatAnswer('Here.')))
  provideConsole(world.console)
  try {
    const call = createCaller(world, routes)
    const ada = await world.newUser('operator')
    const { secret } = await addKey(world.pool, await addAccount(world.pool, 10n ** 12n), { groupId: 'grp_main' })
    // The key with which this console seals what it is given.
    const env = { CREDENTIALS_KEY: '08'.repeat(32) }
    await using one = await startGateway({ databaseUrl: world.url, env })
    await using other = await startGateway({ databaseUrl: world.url, env })
    const chat = async (gateway: TestGateway): Promise<number> => {
      const body = JSON.stringify({ model: 'new/chat', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] })
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
      return (await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body })).status
    }
    expect(await Promise.all([chat(one), chat(other)])).toEqual([404, 404])

    const createResource = async (path: string, body: object) => {
      const answer = await call('POST', path, ada, body)
      expect(answer.status, JSON.stringify(answer.body)).toBe(201)
      return answer.body as unknown as { id: string }
    }
    const connection = await createResource('connections', {
      name: 'new',
      kind: 'openai',
      baseUrl: vendor.url,
      credentials: { apiKey: SECRET },
    })
    await createResource('models', {
      id: 'new/chat',
      ownedBy: 'new',
      modality: 'chat',
      contextWindow: 8192,
      maxOutput: 1024,
      rates: { input: '1000000000', output: '2000000000' },
      groupIds: ['grp_main'],
    })
    await createResource('deployments', { modelId: 'new/chat', connectionId: connection.id, upstreamModel: 'gpt-new' })
    await expect.poll(() => Promise.all([chat(one), chat(other)]), { timeout: 1000, interval: 25 }).toEqual([200, 200])
    expect(vendor.calls.every(({ headers }) => headers.authorization === `Bearer ${SECRET}`)).toBe(true)
    expect(vendor.calls.map(({ body }) => (body as { model: string }).model)).toEqual(
      expect.arrayContaining(['gpt-new', 'gpt-new']),
    )
  } finally {
    await world.close()
  }
})
