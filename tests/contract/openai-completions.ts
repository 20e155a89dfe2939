import { APIError, BadRequestError, InternalServerError } from 'openai'
import { describe, expect, test } from 'vitest'
import { completionAnswer, completionChunk, sayChat } from '../fakes/legacy-vendor.ts'
import { sendEvent, sendJson, startStream, usageOf } from '../fakes/vendor.ts'
import { costOf, expectBrokenStream, expectNotCharged, expectRejection, expectValid, readAll } from './expectations.ts'
import type { Host } from './world.ts'

const SANDBOX = { model: 'sandbox/chat', prompt: 'Once upon a time', max_tokens: 100 }

function completionCases(host: Host): void {
  test('a whole answer has its text, its usage, and what it cost', async () => {
    const account = await host.newAccount()
    const answer = await host.openai({ apiKey: account.key }).completions.create(SANDBOX)
    expect(answer).toMatchObject({ object: 'text_completion', model: 'sandbox/chat', id: expect.stringMatching(/^cmpl-/) })
    expect(answer.choices).toMatchObject([{ index: 0, finish_reason: 'stop', logprobs: null }])
    expect(answer.choices[0]?.text).toContain('You said: "Once upon a time"')
    expect(await account.spent()).toBe(costOf(answer.usage))
  })

  test('a stream arrives in pieces that make the whole answer, and ends with its usage', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key })
    const chunks = await readAll(
      await client.completions.create({ ...SANDBOX, stream: true, stream_options: { include_usage: true } }),
    )
    const plain = await host.openai().completions.create(SANDBOX)
    expect(chunks.map((chunk) => chunk.choices[0]?.text ?? '').join('')).toBe(plain.choices[0]?.text)
    expect(chunks.length).toBeGreaterThan(10)
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks.at(-1)?.choices).toEqual([])
    expect(await account.spent()).toBe(costOf(chunks.at(-1)?.usage))
  })

  test('several prompts, n and echo give every choice its index', async () => {
    const answer = await host.openai().completions.create({ ...SANDBOX, prompt: ['One.', 'Two.'], n: 2, echo: true })
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1, 2, 3])
    expect(answer.choices.map(({ text }) => text.slice(0, 4))).toEqual(['One.', 'One.', 'Two.', 'Two.'])
    expect(answer.choices[0]?.text).not.toBe(answer.choices[1]?.text)
  })

  test('several prompts are streamed side by side', async () => {
    const chunks = await readAll(await host.openai().completions.create({ ...SANDBOX, prompt: ['One.', 'Two.'], stream: true }))
    const order = chunks.map((chunk) => chunk.choices[0]?.index)
    expect(order.indexOf(1)).toBeLessThan(order.lastIndexOf(0))
    const textAt = (index: number) =>
      chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index).map(({ text }) => text)).join('')
    expect(textAt(0)).toContain('You said: "One."')
    expect(textAt(1)).toContain('You said: "Two."')
  })

  test('16 tokens are written where no cap is named', async () => {
    const { max_tokens: _, ...ask } = SANDBOX
    const answer = await host.openai().completions.create(ask)
    expect(answer.choices[0]?.finish_reason).toBe('length')
    expect(answer.usage?.completion_tokens).toBe(16)
  })

  test('tokens are continued as their text, and log probabilities come in the legacy form', async () => {
    const answer = await host.openai().completions.create({ ...SANDBOX, prompt: [9906, 1070], logprobs: 2, max_tokens: 8 })
    expect(answer.usage?.completion_tokens).toBe(8)
    const [choice] = answer.choices
    expect(choice?.logprobs?.tokens?.join('')).toBe(choice?.text)
    expect(choice?.logprobs?.text_offset?.[0]).toBe(0)
    expect(Object.keys(choice?.logprobs?.top_logprobs?.[0] ?? {})).toHaveLength(2)
  })

  test('what cannot be asked is a BadRequestError that names the field', async () => {
    const error = await expectRejection(BadRequestError, host.openai().completions.create({ ...SANDBOX, best_of: 3 }))
    expect(error).toMatchObject({ param: 'best_of', code: 'invalid_request_error' })
  })

  test('a vendor that fails is an error with a status, and free; one that breaks off breaks the stream', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key })
    await expectRejection(InternalServerError, client.completions.create({ ...SANDBOX, model: 'sandbox/error-500' }))
    await expectNotCharged(account, 500, 'vendor_failed')
    const stream = await host.openai().completions.create({ ...SANDBOX, model: 'sandbox/error-disconnect', stream: true })
    await expectRejection(APIError, readAll(stream))
    expectBrokenStream(host.recorder.last)
  })
}

function vendorCases(host: Host): void {
  const full = {
    prompt: ['Once', 'Twice'],
    max_tokens: 30,
    n: 2,
    temperature: 0.5,
    top_p: 0.9,
    stop: ['END'],
    seed: 7,
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
    logit_bias: { '50256': -100 },
    logprobs: 2,
    suffix: 'the end',
    user: 'u',
  }

  test('a model that continues texts gets a valid request with every field', async () => {
    host.vendor.answer((call) => sendJson(call, completionAnswer(['a', 'b', 'c', 'd'])))
    const model = host.otherModels.instruct
    const answer = await host.openai().completions.create({ ...full, model, best_of: 3, echo: true })
    expect(answer.choices.map(({ text }) => text)).toEqual(['a', 'b', 'c', 'd'])
    expect(answer.model).toBe(model)
    expectValid('CreateCompletionRequest', host.vendor.calls.at(-1))
    expect(host.vendor.calls.at(-1)?.body).toEqual({ ...full, model: 'upstream-model', best_of: 3, echo: true })
  })

  test('its streams pass', async () => {
    host.vendor.answer((call) => {
      startStream(call)
      for (const chunk of [completionChunk('Hello'), completionChunk(' there', 'stop')]) sendEvent(call, chunk)
      for (const last of [{ ...completionChunk(''), choices: [], usage: usageOf(10, 2) }, '[DONE]']) sendEvent(call, last)
      call.response.end()
    })
    const chunks = await readAll(
      await host.openai().completions.create({ model: host.otherModels.instruct, prompt: 'Hi', stream: true }),
    )
    expect(chunks.map((chunk) => chunk.choices[0]?.text ?? '').join('')).toBe('Hello there')
    expect(chunks.every(({ usage }) => usage == null)).toBe(true)
    expectValid('CreateCompletionRequest', host.vendor.calls.at(-1))
  })

  test.each([false, true])('a model that only chats gets valid chats with every field, stream: %s', async (stream) => {
    host.vendor.answer(sayChat(() => ['x']))
    const calls = host.vendor.calls.length
    const ask = { ...full, model: host.fakeModel }
    if (stream) await readAll(await host.openai().completions.create({ ...ask, stream }))
    else await host.openai().completions.create(ask)
    expect(host.vendor.calls.length).toBe(calls + 2)
    for (const call of host.vendor.calls.slice(-2)) expectValid('CreateChatCompletionRequest', call)
  })
}

/** Legacy completions through the official SDK. */
export function openAiCompletions(host: Host): void {
  describe('completions', () => completionCases(host))
  describe('completions of vendors', () => vendorCases(host))
}
