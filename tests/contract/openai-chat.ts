import { NotFoundError } from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { costOf, dictate, expectRejection, PNG_URL } from './expectations.ts'
import type { Host } from './world.ts'

const MODEL = 'sandbox/chat'
const user = (content: string) => ({ role: 'user' as const, content })
const system = (content: string) => ({ role: 'system' as const, content })

/** A traveler's trip, with nested, optional and enumerated fields. */
export const Trip = z.object({
  city: z.string(),
  days: z.number().int(),
  season: z.enum(['summer', 'winter']),
  stops: z.array(z.object({ name: z.string(), paid: z.boolean() })),
  note: z.string().nullable(),
})

function modelCases(host: Host): void {
  test('models are listed page by page', async () => {
    const found = []
    for await (const model of host.openai().models.list()) found.push(model)
    expect(found.map((model) => model.id)).toEqual(expect.arrayContaining([MODEL, host.fakeModel, host.aimockModel]))
    expect(found.find((model) => model.id === MODEL)).toEqual({
      id: MODEL,
      object: 'model',
      created: expect.any(Number),
      owned_by: 'sandbox',
    })
    expect(host.recorder.calls).toHaveLength(1)
  })

  test('a model whose id has a slash is retrieved', async () => {
    const model = await host.openai().models.retrieve(MODEL)
    expect(model).toMatchObject({ id: MODEL, object: 'model', owned_by: 'sandbox' })
    expect(host.recorder.last.path).toMatch(/\/models\/sandbox(%2F|\/)chat$/)
  })

  test('a model that does not exist is a NotFoundError', async () => {
    const error = await expectRejection(NotFoundError, host.openai().models.retrieve('nobody/nothing'))
    expect(error).toMatchObject({ status: 404, code: 'model_not_found', type: 'invalid_request_error', param: 'model' })
  })

  test('a key with a list of models sees and uses only those', async () => {
    const { key } = await host.newAccount(1_000_000_000n, { modelAllow: [MODEL] })
    const client = host.openai({ apiKey: key })
    expect((await client.models.list()).data.map((model) => model.id)).toEqual([MODEL])
    await expectRejection(NotFoundError, client.models.retrieve(host.fakeModel))
    await expectRejection(NotFoundError, client.chat.completions.create({ model: host.fakeModel, messages: [user('Hi')] }))
  })
}

function answerCases(host: Host): void {
  test('a whole answer has its text, its usage, and what it cost', async () => {
    const account = await host.newAccount()
    const { data, response } = await host
      .openai({ apiKey: account.key })
      .chat.completions.create({ model: MODEL, messages: [user('Hello there')] })
      .withResponse()
    const [choice] = data.choices
    expect(choice).toMatchObject({ index: 0, finish_reason: 'stop', message: { role: 'assistant' } })
    expect(choice?.message.content).toContain('You said: "Hello there".')
    expect(data.model).toBe(MODEL)
    expect(data.usage?.total_tokens).toBe((data.usage?.prompt_tokens ?? 0) + (data.usage?.completion_tokens ?? 0))
    const cost = costOf(data.usage)
    expect(cost).toBeGreaterThan(0n)
    expect(await account.spent()).toBe(cost)
    expect(Number(response.headers.get('x-tollgate-cost'))).toBe(Number(cost) / 1e9)
    expect(Number(response.headers.get('x-tollgate-balance'))).toBe(1 - Number(cost) / 1e9)
  })

  test('an answer has a request id of the gateway’s own, and the state of the limits', async () => {
    const sent = { 'x-request-id': 'mine' }
    const answer = await host.openai().chat.completions.create({ model: MODEL, messages: [user('Hi')] }, { headers: sent })
    expect(answer._request_id).toMatch(/^req_/)
    const { headers } = host.recorder.last
    for (const name of ['limit', 'remaining', 'reset']) {
      expect(headers.get(`x-ratelimit-${name}-requests`)).toMatch(/^\d/)
      expect(headers.get(`x-ratelimit-${name}-tokens`)).toMatch(/^\d/)
    }
  })

  test('n=2 makes two choices, and both are charged', async () => {
    const ask = { model: MODEL, messages: [user('Twice, please')] }
    const two = await host.openai().chat.completions.create({ ...ask, n: 2 })
    const one = await host.openai().chat.completions.create(ask)
    expect(two.choices.map((choice) => choice.index)).toEqual([0, 1])
    const [a, b] = two.choices.map((choice) => choice.message.content)
    expect(a).not.toBe(b)
    expect(two.usage?.completion_tokens).toBeGreaterThan((one.usage?.completion_tokens ?? 0) * 1.5)
    expect(costOf(two.usage)).toBeGreaterThan(costOf(one.usage))
  })

  test('a stop sequence ends the answer before it', async () => {
    const answer = await host.openai().chat.completions.create({
      model: MODEL,
      messages: [system(dictate('one two HALT three')), user('Count')],
      stop: ['HALT'],
    })
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expect.stringMatching(/^one two ?$/) } })
  })

  test.each(['max_tokens', 'max_completion_tokens'])('%s cuts the answer, which says "length"', async (cap) => {
    const answer = await host.openai().chat.completions.create({
      model: MODEL,
      messages: [system(dictate('one two three four five')), user('Count')],
      [cap]: 3,
    })
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'one two three' } })
    expect(answer.usage?.completion_tokens).toBe(3)
  })

  test.each(['system', 'developer'] as const)('the role "%s" instructs', async (role) => {
    const answer = await host.openai().chat.completions.create({
      model: MODEL,
      messages: [
        { role, content: [{ type: 'text', text: dictate('as you wish') }] },
        { ...user('Hi'), name: 'ann' },
      ],
    })
    expect(answer.choices[0]?.message.content).toBe('as you wish')
  })

  test('the same seed gives the same answer, another seed another one', async () => {
    const ask = (seed: number) =>
      host.openai().chat.completions.create({ model: MODEL, messages: [user('Choose')], seed, temperature: 1 })
    const [a, b, c] = [await ask(7), await ask(7), await ask(8)]
    expect(a.choices).toEqual(b.choices)
    expect(new Set([a.id, b.id, c.id]).size).toBe(3)
    expect(a.system_fingerprint).toBe(b.system_fingerprint)
  })

  test('log probabilities come for each token', async () => {
    const answer = await host.openai().chat.completions.create({
      model: MODEL,
      messages: [system(dictate('one two three')), user('Count')],
      logprobs: true,
      top_logprobs: 2,
    })
    const content = answer.choices[0]?.logprobs?.content ?? []
    expect(content.map(({ token }) => token).join('')).toBe('one two three')
    for (const { logprob, top_logprobs } of content) {
      expect(logprob).toBeLessThanOrEqual(0)
      expect(top_logprobs).toHaveLength(2)
    }
  })

  test('an image in a data URL reaches the model and is counted', async () => {
    const ask = (parts: { type: 'image_url'; image_url: { url: string; detail: 'low' } }[]) =>
      host.openai().chat.completions.create({
        model: MODEL,
        messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, ...parts] }],
      })
    const [without, answer] = [await ask([]), await ask([{ type: 'image_url', image_url: { url: PNG_URL, detail: 'low' } }])]
    expect(answer.choices[0]?.message.content).toMatch(/I received 1 image \(image\/png, \d+ bytes\)/)
    expect((answer.usage?.prompt_tokens ?? 0) - (without.usage?.prompt_tokens ?? 0)).toBeGreaterThanOrEqual(85)
  })
}

function structuredOutputCases(host: Host): void {
  test('parse() answers an object of the zod schema', async () => {
    const answer = await host.openai().chat.completions.parse({
      model: MODEL,
      messages: [user('Plan a trip to Oslo')],
      response_format: zodResponseFormat(Trip, 'trip'),
    })
    const parsed = answer.choices[0]?.message.parsed
    expect(Trip.parse(parsed)).toEqual(parsed)
    expect(parsed).not.toBeNull()
    expect(host.recorder.last.body).toMatchObject({ response_format: { json_schema: { name: 'trip', strict: true } } })
  })

  test('a JSON schema of one’s own is filled', async () => {
    const schema = {
      type: 'object',
      properties: { kind: { const: 'box' }, sizes: { type: 'array', items: { type: 'integer', minimum: 3 }, minItems: 2 } },
      required: ['kind', 'sizes'],
      additionalProperties: false,
    }
    const answer = await host.openai().chat.completions.create({
      model: MODEL,
      messages: [user('Make a box')],
      response_format: { type: 'json_schema', json_schema: { name: 'box', schema, strict: true } },
    })
    const box = JSON.parse(answer.choices[0]?.message.content ?? '') as { kind: string; sizes: number[] }
    expect(box.kind).toBe('box')
    expect(box.sizes.length).toBeGreaterThanOrEqual(2)
    expect(Math.min(...box.sizes)).toBeGreaterThanOrEqual(3)
  })

  test('json_object answers some JSON object', async () => {
    const answer = await host.openai().chat.completions.create({
      model: MODEL,
      messages: [user('Any JSON will do')],
      response_format: { type: 'json_object' },
    })
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toMatchObject({ you_said: 'Any JSON will do' })
  })
}

/** Models, non-streaming answers and structured output through the official SDK. */
export function openAiChat(host: Host): void {
  describe('models', () => modelCases(host))
  describe('whole answers', () => answerCases(host))
  describe('structured output', () => structuredOutputCases(host))
}
