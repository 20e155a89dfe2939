import { expect, test } from 'vitest'
import { formatDecimal } from '#lib/domain/money'
import { claudeAnswer, claudeText, geminiAnswer } from '../fakes/bridged-vendors.ts'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { createDatabase } from '../support/database.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

const API_KEY = 'sk-vendor-secret-0123456789'

function offer(vendor: FakeVendor, models: string[]): void {
  vendor.answer((call) =>
    call.path === '/v1/models'
      ? sendJson(call, { object: 'list', data: models.map((id) => ({ id, object: 'model' })) })
      : sendJson(call, chatAnswer('Hello.', usageOf(1_000_000, 1_000))),
  )
}

async function modelsOf(gateway: TestGateway, key: string): Promise<string[]> {
  const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } })
  const { data } = (await answer.json()) as { data: { id: string }[] }
  return data.map((model) => model.id).filter((id) => !id.startsWith('sandbox/'))
}

async function costOf(gateway: TestGateway, key: string, model: string): Promise<string | null> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, max_tokens: 1_000, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  expect(answer.status).toBe(200)
  return answer.headers.get('x-tollgate-cost')
}

test('OPENAI_API_KEY at the first start connects OpenAI with the models it offers, at list price, and a later start keeps them', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  offer(vendor, ['gpt-4o', 'gpt-4o-mini', 'text-embedding-3-small'])
  const first = await startGateway({ databaseUrl: database.url, env: { OPENAI_API_KEY: API_KEY, OPENAI_BASE_URL: vendor.url } })
  const { key } = first
  expect(await modelsOf(first, key)).toEqual(['openai/gpt-4o', 'openai/gpt-4o-mini', 'openai/text-embedding-3-small'])
  // A million tokens at $2.50 per million, and a thousand at $10.
  expect(await costOf(first, key, 'openai/gpt-4o')).toBe('2.51')
  expect(vendor.calls.at(-1)?.headers.authorization).toBe(`Bearer ${API_KEY}`)
  expect(vendor.calls.at(-1)?.body).toMatchObject({ model: 'gpt-4o', max_completion_tokens: 1_000, store: false })
  expect(first.log()).not.toContain(API_KEY)
  await first.stop()

  const searches = await database.pool.query(
    `SELECT model_id, units ->> 'web_search' AS price, vendor_units ->> 'web_search' AS cost FROM price
      WHERE units ? 'web_search' ORDER BY model_id`,
  )
  const [price, cost] = ['10000000000000', '10000000000000']
  expect(searches.rows).toEqual(['openai/gpt-4o', 'openai/gpt-4o-mini'].map((model_id) => ({ model_id, price, cost })))
  const sealed = await database.pool.query(`SELECT secret_sealed FROM connection WHERE id = 'con_openai'`)
  expect(sealed.rows[0].secret_sealed.toString('latin1')).not.toContain(API_KEY)
  await using second = await startGateway({ databaseUrl: database.url })
  expect(await modelsOf(second, key)).toEqual(['openai/gpt-4o', 'openai/gpt-4o-mini', 'openai/text-embedding-3-small'])
  expect(await costOf(second, key, 'openai/gpt-4o-mini')).toBe('0.1506')
})

test('a vendor that lists no known model is connected without any, so that an operator can import them', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  offer(vendor, ['gpt-of-tomorrow'])
  await using gateway = await startGateway({
    databaseUrl: database.url,
    env: { OPENAI_API_KEY: API_KEY, OPENAI_BASE_URL: vendor.url },
  })
  expect(gateway.log()).toContain('OpenAI is connected. It lists no model')
  expect(await modelsOf(gateway, gateway.key)).toEqual([])
  const { rows } = await database.pool.query(`SELECT id FROM connection WHERE kind = 'openai'`)
  expect(rows).toEqual([{ id: 'con_openai' }])
})

test('OPENAI_COMPATIBLE_BASE_URL connects any such server; a model without a known price costs nothing, and the start says so', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  offer(vendor, ['llama3.2:3b', 'gpt-4o-mini'])
  const env = { OPENAI_COMPATIBLE_BASE_URL: vendor.url, OPENAI_COMPATIBLE_NAME: 'ollama' }
  await using gateway = await startGateway({ databaseUrl: database.url, env })
  expect(await modelsOf(gateway, gateway.key)).toEqual(['ollama/gpt-4o-mini', 'ollama/llama3.2:3b'])
  expect(await costOf(gateway, gateway.key, 'ollama/llama3.2:3b')).toBe('0')
  expect(await costOf(gateway, gateway.key, 'ollama/gpt-4o-mini')).toBe('0.1506')
  expect(gateway.log()).toContain('1 of them at a price of 0')
})

test('keys of Anthropic and Google that come later connect them, with what they offer of the known models, at list price', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  const first = await startGateway({ databaseUrl: database.url })
  const { key } = first
  expect(await modelsOf(first, key)).toEqual([])
  await first.stop()
  vendor.answer((call) => {
    if (call.path === '/v1/models?limit=1000')
      return sendJson(call, {
        data: [{ id: 'claude-haiku-4-5-20251001' }, { id: 'claude-opus-5-5' }, { id: 'claude-unknown-9' }],
      })
    if (call.path === '/v1beta/models?pageSize=1000')
      return sendJson(call, { models: [{ name: 'models/gemini-2.5-flash' }, { name: 'models/embedding-001' }] })
    const cached = { cache_read_input_tokens: 1_000_000, cache_creation_input_tokens: 1_000_000 }
    if (call.path === '/v1/messages')
      return sendJson(call, claudeAnswer([claudeText('x')], { input_tokens: 1_000_000, output_tokens: 1000, ...cached }))
    sendJson(
      call,
      geminiAnswer([{ text: 'x' }], {
        promptTokenCount: 1_000_000,
        cachedContentTokenCount: 500_000,
        candidatesTokenCount: 1000,
      }),
    )
  })
  // As the vendors' own tools accept it: without a version.
  const baseUrl = vendor.url.replace(/\/v1$/, '')
  const env = { ANTHROPIC_API_KEY: API_KEY, ANTHROPIC_BASE_URL: baseUrl, GEMINI_API_KEY: API_KEY, GEMINI_BASE_URL: baseUrl }
  const second = await startGateway({ databaseUrl: database.url, env })
  expect(await modelsOf(second, key)).toEqual([
    'anthropic/claude-haiku-4-5',
    'anthropic/claude-opus-5-5',
    'google/gemini-2.5-flash',
  ])
  expect(vendor.calls.find((call) => call.path.startsWith('/v1/models'))?.headers['x-api-key']).toBe(API_KEY)
  // Per million: $1 for input, $0.10 for input from a cache, $1.25 for cache writes, $5 for output.
  expect(await costOf(second, key, 'anthropic/claude-haiku-4-5')).toBe('2.355')
  expect(vendor.calls.at(-1)).toMatchObject({ path: '/v1/messages', body: { model: 'claude-haiku-4-5', max_tokens: 1_000 } })
  expect(await costOf(second, key, 'google/gemini-2.5-flash')).toBe('0.1675')
  expect(vendor.calls.at(-1)?.path).toBe('/v1beta/models/gemini-2.5-flash:generateContent')
  expect(second.log()).not.toContain(API_KEY)
  await second.stop()
  await using third = await startGateway({ databaseUrl: database.url, env })
  expect((await modelsOf(third, key)).length).toBe(3)
})

test('a server that cannot be reached stops nothing: the sandbox answers, and the next start tries again', async () => {
  await using database = await createDatabase()
  const env = { OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:9/v1' }
  await using gateway = await startGateway({ databaseUrl: database.url, env })
  expect(await modelsOf(gateway, gateway.key)).toEqual([])
  expect(gateway.log()).toContain('local is not connected yet: it cannot be reached')
})

test('a catalog of an earlier version gets the models that are new, and keeps what an operator changed', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  offer(vendor, ['gpt-4o', 'text-embedding-3-small'])
  const env = { OPENAI_API_KEY: API_KEY, OPENAI_BASE_URL: vendor.url }
  const first = await startGateway({ databaseUrl: database.url, env })
  const { key } = first
  await first.stop()
  const gone = ['sandbox/image', 'openai/text-embedding-3-small']
  for (const table of ['deployment', 'group_model'])
    await database.pool.query(`DELETE FROM ${table} WHERE model_id = ANY ($1)`, [gone])
  await database.pool.query('ALTER TABLE price DISABLE TRIGGER price_append_only')
  await database.pool.query('DELETE FROM price WHERE model_id = ANY ($1)', [gone])
  await database.pool.query('ALTER TABLE price ENABLE TRIGGER price_append_only')
  await database.pool.query('DELETE FROM model WHERE id = ANY ($1)', [gone])
  await database.pool.query(`UPDATE model SET enabled = false WHERE id IN ('openai/gpt-4o', 'sandbox/embed')`)
  await using second = await startGateway({ databaseUrl: database.url, env })
  expect(await modelsOf(second, key)).toEqual(['openai/text-embedding-3-small'])
  expect(second.log()).toContain('OpenAI has 1 models more.')
  const { rows } = await database.pool.query(`SELECT id, enabled FROM model WHERE id LIKE 'sandbox/%' AND id ~ 'embed|image$'`)
  expect(rows).toEqual(
    expect.arrayContaining([
      { id: 'sandbox/image', enabled: true },
      { id: 'sandbox/embed', enabled: false },
    ]),
  )
})

test('keys of other vendors connect them with what the registry has a price of; the rest is named, and later starts leave all as it is', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  offer(vendor, ['llama-3.3-70b-versatile', 'llama-3.3-70b-versatile', 'mystery-1', 'mystery embed'])
  const env = {
    GROQ_API_KEY: API_KEY,
    GROQ_BASE_URL: vendor.url,
    PERPLEXITY_API_KEY: API_KEY,
    XAI_API_KEY: API_KEY,
    XAI_BASE_URL: 'http://127.0.0.1:9/v1',
  }
  const first = await startGateway({ databaseUrl: database.url, env })
  const { key } = first
  expect(await modelsOf(first, key)).toEqual(['groq/llama-3.3-70b-versatile'])
  // The cost of the fake's million input tokens and thousand output tokens, whatever price the registry has now.
  const { rows: prices } = await database.pool.query(`SELECT units, vendor_units, note FROM price WHERE model_id LIKE 'groq/%'`)
  expect(prices).toEqual([{ units: prices[0].vendor_units, vendor_units: prices[0].units, note: "Groq's list price." }])
  const nano = BigInt(prices[0].units.input) + BigInt(prices[0].units.output) / 1000n
  expect(await costOf(first, key, 'groq/llama-3.3-70b-versatile')).toBe(formatDecimal(nano))
  expect(vendor.calls.at(-1)?.headers.authorization).toBe(`Bearer ${API_KEY}`)
  expect(first.log()).toContain(
    'Groq is connected with 1 models; 2 more have no known price. Import them at /operator/connections/con_groq.',
  )
  expect(first.log()).toContain('Perplexity is connected. It does not list its models. Add the ones that you want at')
  expect(first.log()).toContain('xAI is not connected yet: it cannot be reached')
  expect(first.log()).not.toContain(API_KEY)
  await first.stop()

  await database.pool.query(`UPDATE model SET enabled = false WHERE id LIKE 'groq/%'`)
  offer(vendor, ['llama-3.1-8b-instant'])
  await using second = await startGateway({ databaseUrl: database.url, env })
  expect(await modelsOf(second, key)).toEqual([])
  expect(second.log()).not.toMatch(/Groq|Perplexity/)
  const { rows } = await database.pool.query(`SELECT id, base_url FROM connection WHERE kind <> 'sandbox' ORDER BY id`)
  expect(rows).toEqual([
    { id: 'con_groq', base_url: vendor.url },
    { id: 'con_perplexity', base_url: 'https://api.perplexity.ai' },
  ])
})

test('a model that makes images in chats is sold with what its vendor lists for them, and not without', async () => {
  await using database = await createDatabase()
  await using vendor = await startFakeVendor()
  const architecture = { output_modalities: ['image', 'text'] }
  const data = [
    { id: 'google/gemini-2.5-flash-image', architecture, pricing: { image_output: '0.00003' } },
    { id: 'openai/gpt-5-image', architecture, pricing: {} },
  ]
  vendor.answer((call) => sendJson(call, { data }))
  const env = { OPENROUTER_API_KEY: API_KEY, OPENROUTER_BASE_URL: vendor.url }
  await using gateway = await startGateway({ databaseUrl: database.url, env })
  expect(await modelsOf(gateway, gateway.key)).toEqual(['openrouter/google/gemini-2.5-flash-image'])
  const { rows } = await database.pool.query(
    `SELECT modality, units ->> 'image_output' AS rate, vendor_units ->> 'image_output' AS cost
     FROM model JOIN price ON price.model_id = model.id WHERE model.id LIKE 'openrouter/%'`,
  )
  expect(rows).toEqual([{ modality: 'chat', rate: '30000000000', cost: '30000000000' }])
})
