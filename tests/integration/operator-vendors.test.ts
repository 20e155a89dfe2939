import { createServer as createTls } from 'node:https'
import { createServer } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Offer } from '#lib/contracts/operator-import'
import type { SignedInUser } from '#lib/services/ports'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { type ConsoleWorld, NOW, openConsoleWorld, provideConsole } from './console-world.ts'
import { catalogOf, connectVendor, createCaller, loadOperatorRoutes, offerModels, SECRET } from './operator-world.ts'

const routes = await loadOperatorRoutes()

let world: ConsoleWorld
let vendor: FakeVendor
let ada: SignedInUser
let call: ReturnType<typeof createCaller>
beforeAll(async () => {
  world = await openConsoleWorld()
  vendor = await startFakeVendor()
  provideConsole(world.console)
  await world.pool.query(`update model set modality = 'chat'`)
  ada = await world.newUser('operator')
  call = createCaller(world, routes)
})
afterAll(async () => {
  await world.close()
  await vendor[Symbol.asyncDispose]()
})
beforeEach(() => {
  vendor.calls.length = 0
})

const connect = (more: object = {}) => connectVendor(call, ada, { baseUrl: vendor.url, ...more })
const catalog = () => catalogOf(world)

describe('the test of a connection says in words what is wrong', () => {
  const reasonAt = async (more: object) => {
    const { id } = await connect(more)
    const { body } = await call('POST', `connections/${id}/test`, ada, {})
    return (body as { reason?: string }).reason
  }
  it.each([
    [401, 'credentials'],
    [403, 'forbidden'],
    [404, 'path'],
    [429, 'limited'],
    [500, 'vendor'],
  ])('%i is %s', async (status, reason) => {
    vendor.answer((vendorCall) => sendJson(vendorCall, { error: { message: 'no' } }, status))
    expect(await reasonAt({})).toBe(reason)
  })
  it('a page is no list of models', async () => {
    vendor.answer(({ response }) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
    expect(await reasonAt({})).toBe('unreadable')
  })
  it('nothing listens', async () => {
    expect(await reasonAt({ baseUrl: 'http://127.0.0.1:9/v1' })).toBe('refused')
  })
  it('no such host', async () => {
    expect(await reasonAt({ baseUrl: 'http://no-such-host.invalid/v1' })).toBe('dns')
  })
  it('too slow', async () => {
    vendor.answer(() => undefined)
    expect(await reasonAt({ headersTimeoutMs: 200 })).toBe('timeout')
  })
  it('no TLS there', async () => {
    const server = createTls({}, () => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    expect(await reasonAt({ baseUrl: `https://127.0.0.1:${(server.address() as { port: number }).port}/v1` })).toBe('tls')
    server.close()
  })
  it('a proxy that refuses', async () => {
    const proxy = createServer((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')),
    )
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
    expect(await reasonAt({ proxy: `http://127.0.0.1:${(proxy.address() as { port: number }).port}` })).toBe('proxy')
    proxy.close()
  })
})

describe('a vendor that has no list of models', () => {
  const tested = async (kind: string, modelId: string | null) => {
    const { id } = await connect({ kind, baseUrl: kind === 'cohere' ? vendor.url.replace(/\/v1$/, '/v2') : vendor.url })
    if (modelId !== null) {
      const body = { modelId, connectionId: id, upstreamModel: 'sonar-1' }
      expect((await call('POST', 'deployments', ada, body)).status).toBe(201)
    }
    return (await call('POST', `connections/${id}/test`, ada, {})).body
  }
  it('is asked for one token of a model that it runs', async () => {
    vendor.answer((vendorCall) => sendJson(vendorCall, chatAnswer('H')))
    expect(await tested('perplexity', 'small')).toMatchObject({ ok: true, models: 1, chat: 'sonar-1' })
    expect(vendor.calls).toHaveLength(1)
    expect(vendor.calls[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'sonar-1', max_tokens: 1 } })
    expect(vendor.calls[0]?.headers.authorization).toBe(`Bearer ${SECRET}`)
  })
  it('also through the bridge', async () => {
    vendor.answer((vendorCall) =>
      sendJson(vendorCall, {
        generation_id: 'g',
        message: { role: 'assistant', content: [{ type: 'text', text: 'H' }] },
        finish_reason: 'MAX_TOKENS',
        usage: { billed_units: { input_tokens: 1, output_tokens: 1 }, tokens: { input_tokens: 1, output_tokens: 1 } },
      }),
    )
    expect(await tested('cohere', 'small')).toMatchObject({ ok: true, chat: 'sonar-1' })
    expect(vendor.calls[0]).toMatchObject({ path: '/v2/chat', body: { model: 'sonar-1', max_tokens: 1 } })
  })
  it.each([
    [401, 'credentials'],
    [404, 'model'],
    [429, 'limited'],
    [500, 'vendor'],
  ])('%i is %s, in words without a secret', async (status, reason) => {
    vendor.answer((vendorCall) => sendJson(vendorCall, { error: { message: `no: ${SECRET}` } }, status))
    const answer = (await tested('perplexity', 'small')) as { message?: string }
    expect(answer).toMatchObject({ ok: false, reason })
    expect(answer.message).toMatch(new RegExp(`^it answered ${status} to a chat with "sonar-1"`))
    expect(answer.message).not.toContain(SECRET)
  })
  it('nothing listens: it says so', async () => {
    const { id } = await connect({ kind: 'perplexity', baseUrl: 'http://127.0.0.1:9/v1' })
    await call('POST', 'deployments', ada, { modelId: 'small', connectionId: id, upstreamModel: 'sonar-1' })
    expect((await call('POST', `connections/${id}/test`, ada, {})).body).toMatchObject({ ok: false, reason: 'unreachable' })
  })
  it('is not asked at all where it runs no model that chats', async () => {
    await world.pool.query(
      `insert into model (id, owned_by, modality, context_window, max_output) values ('drawn', 'x', 'image', 1, 1)`,
    )
    expect(await tested('perplexity', null)).toMatchObject({ ok: false, reason: 'unlisted' })
    expect(await tested('perplexity', 'drawn')).toMatchObject({ ok: false, reason: 'unlisted' })
    expect(vendor.calls).toHaveLength(0)
  })
})

describe('a connection', () => {
  it('names the models that no other connection runs', async () => {
    await world.pool.query(`
      insert into model (id, owned_by, modality, context_window, max_output, enabled) values
        ('sole', 'x', 'chat', 1, 1, true), ('both', 'x', 'chat', 1, 1, true), ('spare', 'x', 'chat', 1, 1, true),
        ('unused', 'x', 'chat', 1, 1, false), ('resting', 'x', 'chat', 1, 1, true)`)
    const [first, second] = [await connect(), await connect()]
    const deploy = async (modelId: string, connectionId: string, more: object = {}) => {
      const body = { modelId, connectionId, upstreamModel: modelId, ...more }
      expect((await call('POST', 'deployments', ada, body)).status).toBe(201)
    }
    await deploy('sole', first.id)
    // A second deployment of the connection is no help when the connection is archived.
    await deploy('sole', first.id, { upstreamModel: 'sole-2' })
    for (const { id } of [first, second]) await deploy('both', id)
    await deploy('spare', first.id)
    await deploy('spare', second.id, { enabled: false })
    await deploy('unused', first.id)
    await deploy('resting', first.id, { enabled: false })
    const soleModels = async (id: string) => (await call('GET', `connections/${id}`, ada)).body.soleModels
    expect(await soleModels(first.id)).toEqual(['sole', 'spare'])
    expect(await soleModels(second.id)).toEqual([])
    const { version } = (await call('GET', `connections/${second.id}`, ada)).body
    expect((await call('DELETE', `connections/${second.id}?version=${version}`, ada)).status).toBe(200)
    expect(await soleModels(first.id)).toEqual(['both', 'sole', 'spare'])
  })
})

describe('import', () => {
  it('shows what is new, what changed and what is gone, and takes what is chosen, in one transaction', async () => {
    offerModels(vendor, ['gpt-4o', 'gpt-4o-mini', 'mystery-1'])
    const { id } = await connect({ name: 'main' })
    const offers = async () => {
      const { body } = await call('POST', `connections/${id}/offers`, ada, {})
      const rows = (body as unknown as { rows: { upstreamModel: string; state: string; found: object | null }[] }).rows
      return Object.fromEntries(rows.map((row) => [row.upstreamModel, row]))
    }
    const first = await offers()
    expect(Object.values(first).map(({ state }) => state)).toEqual(['new', 'new', 'new'])
    expect(first['gpt-4o']?.found).toMatchObject({ input: '2500000000', cached_input: '1250000000', output: '10000000000' })
    expect(first['mystery-1']?.found).toBeNull()
    const take = [
      { upstreamModel: 'gpt-4o', modelId: 'main/gpt-4o', rates: { input: '3000000000', output: '12000000000' } },
      { upstreamModel: 'gpt-4o-mini', modelId: 'main/gpt-4o-mini', rates: first['gpt-4o-mini']?.found },
    ]
    // One model that cannot be sold keeps all of them out.
    const broken = await call('POST', `connections/${id}/import`, ada, {
      take: [...take, { upstreamModel: 'mystery-1', modelId: 'main/mystery-1', rates: null }],
    })
    expect(broken.body.error).toMatchObject({ code: 'invalid_input', field: 'take' })
    expect((await catalog()).models.has('main/gpt-4o')).toBe(false)
    expect((await call('POST', `connections/${id}/import`, ada, { take })).body).toEqual({ models: 2, prices: 2, deployments: 2 })

    const { models, groups } = await catalog()
    expect(models.get('main/gpt-4o')).toMatchObject({ maxOutput: 16_384, contextWindow: 128_000, modality: 'chat' })
    expect(models.get('main/gpt-4o')?.prices[0]).toMatchObject({
      rates: { input: 3_000_000_000n },
      vendorRates: { input: 2_500_000_000n },
    })
    expect(models.get('main/gpt-4o')?.deployments[0]?.connection.secret).toBe(SECRET)
    expect(groups.get('grp_main')?.models.has('main/gpt-4o-mini')).toBe(true)

    // The vendor's price has changed, and one model is no longer offered.
    await call('POST', 'prices', ada, {
      modelId: 'main/gpt-4o',
      rates: { input: '3', output: '3' },
      vendorRates: { input: '1', output: '1' },
    })
    world.clock.at = new Date()
    offerModels(vendor, ['gpt-4o', 'mystery-1'])
    const second = await offers()
    world.clock.at = NOW
    expect(Object.fromEntries(Object.entries(second).map(([name, { state }]) => [name, state]))).toEqual({
      'gpt-4o': 'price',
      'gpt-4o-mini': 'gone',
      'mystery-1': 'new',
    })
  })

  it('takes the sizes that the vendor lists, which a cap has to fit', async () => {
    vendor.answer((vendorCall) => sendJson(vendorCall, { data: [{ id: 'local-7b', max_model_len: 8192 }] }))
    const { id } = await connect({ name: 'local', kind: 'vllm' })
    const { body } = await call('POST', `connections/${id}/offers`, ada, {})
    const [offered] = (body as unknown as { rows: { contextWindow: number; maxOutput: number }[] }).rows
    expect(offered).toMatchObject({ contextWindow: 8192, maxOutput: 8192 })
    const { contextWindow, maxOutput } = offered as { contextWindow: number; maxOutput: number }
    const taken = { upstreamModel: 'local-7b', modelId: 'local/7b', rates: { input: '1', output: '1' }, contextWindow }
    const refused = await call('POST', `connections/${id}/import`, ada, { take: [{ ...taken, maxOutput: 0 }] })
    expect(refused.body.error).toMatchObject({ code: 'invalid_input' })
    expect((await call('POST', `connections/${id}/import`, ada, { take: [{ ...taken, maxOutput }] })).status).toBe(200)
    expect((await catalog()).models.get('local/7b')).toMatchObject({ contextWindow: 8192, maxOutput: 8192 })
  })

  it('marks the sizes that nobody states, until an operator does', async () => {
    vendor.answer((vendorCall) =>
      sendJson(vendorCall, { data: [{ id: 'mystery-7b' }, { id: 'listed-7b', max_model_len: 131_072 }] }),
    )
    const { id } = await connect({ name: 'guessed', kind: 'vllm' })
    const { body } = await call('POST', `connections/${id}/offers`, ada, {})
    const rows = (body as unknown as { rows: Offer[] }).rows
    expect(new Map(rows.map((row) => [row.upstreamModel, row.assumed]))).toEqual(
      new Map([
        ['mystery-7b', ['contextWindow', 'maxOutput']],
        ['listed-7b', ['maxOutput']],
      ]),
    )
    const take = rows.map(({ upstreamModel, modelId, contextWindow, maxOutput, assumed }) => ({
      ...{ upstreamModel, modelId, contextWindow, maxOutput, assumed },
      rates: { input: '1', output: '1' },
    }))
    expect((await call('POST', `connections/${id}/import`, ada, { take })).status).toBe(200)
    const factsOf = async (name: string) => (await catalog()).models.get(`guessed/${name}`)?.facts
    expect(await factsOf('listed-7b')).toEqual({ assumed: ['maxOutput'] })
    expect(await factsOf('mystery-7b')).toEqual({ assumed: ['contextWindow', 'maxOutput'] })
    const change = { id: 'guessed/mystery-7b', version: 1, contextWindow: 65_536, maxOutput: 32_768 }
    expect((await call('PATCH', 'models', ada, change)).status).toBe(200)
    expect(await factsOf('mystery-7b')).toEqual({ assumed: ['maxOutput'] })
  })

  it('takes a model that makes images as a chat model, with what the vendor lists for its images', async () => {
    const listed = {
      // Its name would make it a model for POST /v1/images/generations.
      id: 'gpt-5-image',
      context_length: 32_768,
      architecture: { output_modalities: ['image', 'text'] },
      pricing: { prompt: '0.0000003', completion: '0.0000025', image_output: '0.00003' },
    }
    vendor.answer((vendorCall) => sendJson(vendorCall, { data: [listed] }))
    const { id } = await connect({ name: 'router' })
    const { body } = await call('POST', `connections/${id}/offers`, ada, {})
    const [offered] = (body as unknown as { rows: { modality: string; found: Record<string, string> | null }[] }).rows
    expect(offered).toMatchObject({ modality: 'chat', found: { image_output: '30000000000' } })
    const taken = {
      upstreamModel: listed.id,
      modelId: 'router/draws',
      modality: offered?.modality,
      rates: { input: '300000000', output: '2500000000', image_output: '40000000000' },
    }
    expect((await call('POST', `connections/${id}/import`, ada, { take: [taken] })).status).toBe(200)
    expect((await catalog()).models.get('router/draws')).toMatchObject({
      modality: 'chat',
      prices: [{ rates: { image_output: 40_000_000_000n }, vendorRates: { image_output: 40_000_000_000n } }],
    })
  })

  it('says why where the vendor does not answer', async () => {
    const { id } = await connect({ baseUrl: 'http://127.0.0.1:9/v1' })
    const answer = await call('POST', `connections/${id}/offers`, ada, {})
    expect({ status: answer.status, code: answer.body.error?.code }).toEqual({ status: 503, code: 'unavailable' })
  })
})
