import { APIError, BadRequestError, NotFoundError } from 'openai'
import { zodResponsesFunction, zodTextFormat } from 'openai/helpers/zod'
import type { Response } from 'openai/resources/responses/responses'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { costOf, dictate, expectRejection, PNG_URL, readAll } from './expectations.ts'
import { Trip } from './openai-chat.ts'
import type { Host } from './world.ts'

const model = 'sandbox/chat'
const City = z.object({ city: z.string() })
const weather = zodResponsesFunction({ name: 'get_weather', parameters: City, description: 'The weather of a city.' })

/** A response without what differs between any two. */
const withoutIds = ({ output, status, output_text }: Response) => ({
  status,
  output_text,
  output: output.map(({ id: _, ...item }) => ({ ...item, call_id: undefined })),
})

function responseCases(host: Host): void {
  test('create() answers a text, its cost is charged, and retrieve() answers the same', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key })
    const response = await client.responses.create({ model, input: 'Hello there', metadata: { order: '7' } })
    expect(response.output_text).toContain('You said: "Hello there".')
    expect(response).toMatchObject({ status: 'completed', model, metadata: { order: '7' }, error: null })
    expect(await account.spent()).toBe(costOf(response.usage))
    const { _request_id: _, ...found } = await client.responses.retrieve(response.id)
    const { _request_id: __, ...created } = response
    expect(found).toEqual(created)
    const items = await readAll(await client.responses.inputItems.list(response.id))
    expect(items).toMatchObject([{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello there' }] }])
  })

  test('delete() forgets it', async () => {
    const client = host.openai()
    const { id } = await client.responses.create({ model, input: 'Forget this' })
    await client.responses.delete(id)
    const error = await expectRejection(NotFoundError, client.responses.retrieve(id))
    expect(error).toMatchObject({ code: 'response_not_found', param: 'response_id' })
    await expectRejection(NotFoundError, client.responses.delete(id))
    const gone = client.responses.create({ model, input: 'Go on', previous_response_id: id })
    expect(await expectRejection(BadRequestError, gone)).toMatchObject({ code: 'previous_response_not_found' })
  })

  test('parse() answers an object of the zod schema', async () => {
    const response = await host.openai().responses.parse({
      model,
      input: 'Plan a trip to Oslo',
      text: { format: zodTextFormat(Trip, 'trip') },
    })
    expect(Trip.parse(response.output_parsed)).toEqual(response.output_parsed)
  })

  test('instructions, images and a cap have their effect', async () => {
    const client = host.openai()
    const dictated = await client.responses.create({ model, instructions: dictate('aye'), input: 'Hello' })
    expect(dictated.output_text).toBe('aye')
    const image = { type: 'input_image' as const, image_url: PNG_URL, detail: 'auto' as const }
    const seen = await client.responses.create({ model, input: [{ role: 'user', content: [image] }] })
    expect(seen.output_text).toMatch(/I received 1 image \(image\/png, \d+ bytes\)/)
    const cut = await client.responses.create({ model, input: 'word '.repeat(60), max_output_tokens: 16 })
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } })
  })

  test('a tool is called and answered, from the store and with the items themselves', async () => {
    const client = host.openai()
    const ask = { model, tools: [weather], input: 'Use get_weather for Oslo' }
    const first = await client.responses.parse(ask)
    const call = first.output.find((item) => item.type === 'function_call')
    if (call?.type !== 'function_call') throw new Error('no function was called')
    expect(City.parse(call.parsed_arguments)).toEqual({ city: expect.any(String) })
    const output = { type: 'function_call_output' as const, call_id: call.call_id, output: 'minus four degrees' }
    const stored = await client.responses.create({ ...ask, previous_response_id: first.id, input: [output] })
    const items = first.output.map(({ ...item }) => item) as never[]
    const sent = await client.responses.create({
      ...ask,
      store: false,
      input: [{ role: 'user', content: ask.input }, ...items, output],
    })
    expect(stored.output_text).toContain('The tool get_weather answered: "minus four degrees".')
    expect(sent.output_text).toBe(stored.output_text)
  })

  test('a hosted tool is a mistake, named', async () => {
    const pending = host.openai().responses.create({ model, input: 'x', tools: [{ type: 'web_search' }] })
    expect(await expectRejection(BadRequestError, pending)).toMatchObject({ param: 'tools[0].type' })
  })
}

function streamedResponseCases(host: Host): void {
  test.each([
    ['a text', { input: 'Hello there' }],
    ['calls', { input: 'Use get_weather for Oslo', tools: [weather] }],
    ['an object', { input: 'Plan a trip', text: { format: zodTextFormat(Trip, 'trip') } }],
  ])('stream() puts %s together to what create() answers', async (_name, body) => {
    const client = host.openai()
    const runner = client.responses.stream({ model, ...body })
    const deltas: string[] = []
    runner.on('response.output_text.delta', ({ delta }) => void deltas.push(delta))
    const streamed = await runner.finalResponse()
    const plain = await client.responses.create({ model, ...body })
    expect(withoutIds(streamed as unknown as Response)).toMatchObject(withoutIds(plain))
    expect(deltas.join('')).toBe(plain.output_text)
    expect((await client.responses.retrieve(streamed.id)).output_text).toBe(plain.output_text)
  })

  test('create() with stream yields every event, numbered, and what it cost', async () => {
    const account = await host.newAccount()
    const ask = { model, input: 'Hello', stream: true as const }
    const events = await readAll(await host.openai({ apiKey: account.key }).responses.create(ask))
    expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
    const last = events.at(-1)
    if (last?.type !== 'response.completed') throw new Error(`it ended with ${last?.type}`)
    expect(await account.spent()).toBe(costOf(last.response.usage))
  })

  test.each(['sandbox/error-disconnect', 'sandbox/error-malformed'])('a stream of %s is an error, not an end', async (broken) => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key })
    const stream = await client.responses.create({ model: broken, input: 'Hello there', stream: true })
    expect(await expectRejection(APIError, readAll(stream))).toMatchObject({ code: 'server_error', type: 'server_error' })
    expect(host.recorder.last.text).not.toContain('[DONE]')
    expect(await account.waitForRecords(1)).toMatchObject([{ outcome: 'cut', estimated: true }])
    await expectRejection(APIError, client.responses.stream({ model: broken, input: 'Hello there' }).finalResponse())
  })

  test('a vendor that fails before its first word is a plain error', async () => {
    const pending = host.openai().responses.create({ model: 'sandbox/error-500', input: 'x', stream: true })
    expect((await expectRejection(APIError, pending)).status).toBe(500)
  })
}

/** The Responses API through the official SDK. */
export function openAiResponses(host: Host): void {
  describe('responses', () => responseCases(host))
  describe('streamed responses', () => streamedResponseCases(host))
}
