import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, headersOf, openApiWorld, UPSTREAM_MODEL, untilModelKnown } from '../fakes/api-world.ts'
import { claudeAnswer, claudeText, geminiAnswer, respondClaude, respondGemini } from '../fakes/bridged-vendors.ts'
import { type Call, chatAnswer, chatChunk, sendEvent, sendJson, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { hangUp } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'

const [INPUT, OUTPUT, IMAGE] = [300n, 2_500n, 30_000n]
/** As in lib/gateway/measure.ts. */
const TOKENS_PER_IMAGE = 6240n
const ESTIMATED = /^The vendor did not say what its images used; each was counted as 6240 tokens/
const BALANCE = 900_000_000n

let world: ApiWorld

const perMillion = (rate: bigint) => String(rate * 1_000_000n)

beforeAll(async () => {
  world = await openApiWorld()
  const vendor = { upstreamModel: UPSTREAM_MODEL, secret: 'vendor-credential' }
  const plain = { input: perMillion(INPUT), output: perMillion(OUTPUT) }
  const units = { ...plain, image_output: perMillion(IMAGE) }
  const { url: baseUrl } = world.vendor
  await addModel(world.pool, { id: 'fake/draws', kind: 'openrouter', baseUrl, units, ...vendor })
  await addModel(world.pool, { id: 'fake/groq', kind: 'groq', baseUrl, units, ...vendor })
  await addModel(world.pool, { id: 'fake/unpriced', baseUrl, units: plain, ...vendor })
  for (const kind of ['google', 'anthropic'])
    await addModel(world.pool, { id: `fake/${kind}`, kind, baseUrl: new URL(baseUrl).origin, units, ...vendor })
  for (const id of ['fake/draws', 'fake/groq', 'fake/unpriced', 'fake/google', 'fake/anthropic']) await untilModelKnown(world, id)
})
afterAll(() => world?.[Symbol.asyncDispose]())

const PNG = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64')
const image = (index = 0) => ({ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` }, index })
const usageWithImages = (prompt: number, completion: number, images: number, reasoning = 0) =>
  usageOf(prompt, completion, { completion_tokens_details: { reasoning_tokens: reasoning, image_tokens: images } })

function answerWithImages(images: number, usage: object | null) {
  const answer = chatAnswer('Here it is.', usage)
  const [choice] = answer.choices
  return { ...answer, choices: [{ ...choice, message: { ...choice?.message, images: Array.from({ length: images }, image) } }] }
}
const imageChunk = (more: object = {}) => ({
  ...chatChunk(null, null, more),
  choices: [{ index: 0, delta: { content: '', images: [image()] }, finish_reason: null }],
})

/** Streams a text and an image, and then what is given. */
const streamImage =
  (...end: (object | string)[]) =>
  async (call: Call) => {
    startStream(call)
    sendEvent(call, chatChunk('Here it is.'))
    sendEvent(call, imageChunk())
    for (const event of end) sendEvent(call, event)
    if (end.at(-1) === '[DONE]') return void call.response.end()
    await sleep(100)
    hangUp(call)
  }

const DRAW = { model: 'fake/draws', modalities: ['image', 'text'], max_tokens: 8000 }

async function chat(body: object = {}, balance = BALANCE) {
  const holder = await world.holder({}, balance)
  const answer = await world.chat(holder.secret, { ...DRAW, ...body })
  const record = await world.record(holder.accountId)
  const { rows } = await world.pool.query<{ receipt: { lines: Record<string, string>[] } }>(
    'SELECT receipt FROM usage_record WHERE account_id = $1',
    [holder.accountId],
  )
  const lines = rows[0]?.receipt.lines.map(({ unit, count }) => [unit, Number(count)])
  expect(record.charged).toBeLessThanOrEqual(record.hold)
  await world.expectSettledBooks(holder, 1)
  return { answer, record, lines }
}

describe.each([false, true])('images that are reported (stream: %s)', (stream) => {
  const whole = { stream, stream_options: stream ? { include_usage: true } : null }

  test('are billed at their own rate, on a line of their own, and shown as a part of the completion', async () => {
    const usage = usageWithImages(20, 1400, 1290, 60)
    world.vendor.answer((call) =>
      stream
        ? streamImage(chatChunk(null, 'stop'), usageChunk(usage), '[DONE]')(call)
        : sendJson(call, answerWithImages(1, usage)),
    )
    const { answer, record, lines } = await chat(whole)
    expect(answer.status, answer.text).toBe(200)
    expect(record).toMatchObject({ outcome: 'finished', estimated: false, input: 20n, output: 1400n, reasoning: 60n })
    expect(record.charged).toBe(20n * INPUT + 110n * OUTPUT + 1290n * IMAGE)
    expect(lines).toEqual([
      ['input', 20],
      ['output', 110],
      ['image_output', 1290],
    ])
    expect(answer.text).toMatch(/"completion_tokens":1400,"total_tokens":1420,/)
    expect(answer.text).toContain('"completion_tokens_details":{"reasoning_tokens":60,"image_tokens":1290}')
    expect(answer.text).toContain(PNG)
  })

  test('cost what text costs if the price does not name them', async () => {
    world.vendor.answer((call) =>
      stream
        ? streamImage(chatChunk(null, 'stop'), usageChunk(usageWithImages(20, 1400, 1290)), '[DONE]')(call)
        : sendJson(call, answerWithImages(1, usageWithImages(20, 1400, 1290))),
    )
    const { record, lines } = await chat({ ...whole, model: 'fake/unpriced', modalities: null })
    expect(record.charged).toBe(20n * INPUT + 1400n * OUTPUT)
    expect(lines?.at(-1)).toEqual(['image_output', 1290])
  })

  test('are estimated by their number if there is no usage, and the receipt says so', async () => {
    world.vendor.answer((call) =>
      stream ? streamImage(chatChunk(null, 'stop'), '[DONE]')(call) : sendJson(call, answerWithImages(1, null)),
    )
    const { record, lines } = await chat(whole)
    expect(record).toMatchObject({ outcome: 'finished', estimated: true, why: expect.stringMatching(ESTIMATED) })
    expect(lines?.at(-1)).toEqual(['image_output', Number(TOKENS_PER_IMAGE)])
    const text = record.output - TOKENS_PER_IMAGE
    expect(text).toBeGreaterThan(2n)
    expect(record.charged).toBe(record.input * INPUT + text * OUTPUT + TOKENS_PER_IMAGE * IMAGE)
  })

  test('are all that was written besides thoughts, if the usage does not say how much of it they are', async () => {
    const usage = usageOf(20, 1400, { completion_tokens_details: { reasoning_tokens: 60 } })
    world.vendor.answer((call) =>
      stream
        ? streamImage(chatChunk(null, 'stop'), usageChunk(usage), '[DONE]')(call)
        : sendJson(call, answerWithImages(1, usage)),
    )
    const { record, lines } = await chat(whole)
    expect(record).toMatchObject({ outcome: 'finished', estimated: true, why: expect.stringMatching(/counted as images/) })
    expect(lines?.at(-1)).toEqual(['image_output', 1340])
    expect(record.charged).toBe(20n * INPUT + 60n * OUTPUT + 1340n * IMAGE)
  })

  test('are none without an address', async () => {
    const images = [{ type: 'image_url', image_url: { url: '' } }]
    world.vendor.answer((call) => {
      if (!stream) {
        const [choice] = chatAnswer('No.', null).choices
        return sendJson(call, { ...chatAnswer('No.', null), choices: [{ ...choice, message: { ...choice?.message, images } }] })
      }
      startStream(call)
      sendEvent(call, chatChunk('No.'))
      sendEvent(call, { ...chatChunk(null), choices: [{ index: 0, delta: { images }, finish_reason: 'stop' }] })
      sendEvent(call, '[DONE]')
      return void call.response.end()
    })
    const { record, lines } = await chat(whole)
    expect(record).toMatchObject({ outcome: 'finished', estimated: true, why: 'The vendor reported no usage.' })
    expect(lines?.map(([unit]) => unit)).toEqual(['input', 'output'])
  })

  test('and never for more than was held', async () => {
    world.vendor.answer((call) =>
      stream ? streamImage(imageChunk(), chatChunk(null, 'stop'), '[DONE]')(call) : sendJson(call, answerWithImages(2, null)),
    )
    const { record } = await chat({ ...whole, max_tokens: 1500 })
    expect(record).toMatchObject({ estimated: true, output: 1500n })
    expect(record.charged).toBe(record.input * INPUT + 1500n * IMAGE)
  })
})

describe('the hold', () => {
  test.each([[['image', 'text']], [['text']], [null]])(
    'is for images, whether they were asked for or not: %j',
    async (modalities) => {
      world.vendor.answer((call) => sendJson(call, answerWithImages(1, usageWithImages(20, 8000, 8000))))
      const { record } = await chat({ modalities })
      expect(record.charged).toBe(20n * INPUT + 8000n * IMAGE)
      expect(record.hold).toBeGreaterThanOrEqual(8000n * IMAGE)
      expect(record.shortfall).toBe(0n)
    },
  )

  test('bounds the default cap by what images cost', async () => {
    world.vendor.answer((call) => sendJson(call, chatAnswer('ok')))
    await chat({ max_tokens: null }, 8000n * IMAGE * 4n)
    const cap = world.vendor.calls.at(-1)?.body.max_tokens
    expect(cap).toBe(8000)
  })
})

describe('a stream that breaks off after an image', () => {
  const whole = { stream: true }

  test('without a count is charged for the image, as an estimate', async () => {
    world.vendor.answer(streamImage())
    const { record, lines } = await chat(whole)
    expect(record).toMatchObject({ outcome: 'cut', estimated: true, why: expect.stringMatching(ESTIMATED) })
    expect(lines?.at(-1)).toEqual(['image_output', Number(TOKENS_PER_IMAGE)])
  })

  test('with a count that came before the image is charged for both', async () => {
    world.vendor.answer(async (call) => {
      startStream(call)
      sendEvent(call, chatChunk('Here', null, { usage: usageOf(20, 1) }))
      sendEvent(call, imageChunk())
      await sleep(100)
      hangUp(call)
    })
    const { record } = await chat(whole)
    expect(record).toMatchObject({ outcome: 'cut', estimated: true, input: 20n, output: 1n + TOKENS_PER_IMAGE })
    expect(record.charged).toBe(20n * INPUT + OUTPUT + TOKENS_PER_IMAGE * IMAGE)
  })

  test('with a count that came with the image is charged by it, exactly', async () => {
    world.vendor.answer(async (call) => {
      startStream(call)
      sendEvent(call, imageChunk({ usage: usageWithImages(20, 1295, 1290) }))
      await sleep(100)
      hangUp(call)
    })
    const { record } = await chat(whole)
    expect(record).toMatchObject({ outcome: 'cut', estimated: false, output: 1295n })
    expect(record.charged).toBe(20n * INPUT + 5n * OUTPUT + 1290n * IMAGE)
  })

  test('is charged in the same way as a response', async () => {
    const holder = await world.holder({}, BALANCE)
    world.vendor.answer(streamImage())
    const body = JSON.stringify({ model: 'fake/draws', input: 'Draw.', stream: true, max_output_tokens: 8000 })
    await world.send({ path: '/v1/responses', headers: headersOf(holder.secret), body })
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'cut', estimated: true, why: expect.stringMatching(ESTIMATED) })
    expect(record.output).toBeGreaterThan(TOKENS_PER_IMAGE)
    await world.expectSettledBooks(holder, 1)
  })
})

test.each([[['image', 'text']], [null]])(
  "a client that leaves pays by the vendor's count, because nobody sees an image grow: %j",
  async (modalities) => {
    const holder = await world.holder({}, BALANCE)
    world.vendor.answer(async (call) => {
      startStream(call)
      sendEvent(call, chatChunk('Here it is.'))
      await sleep(300)
      if (call.response.destroyed) return
      sendEvent(call, imageChunk())
      sendEvent(call, chatChunk(null, 'stop'))
      sendEvent(call, usageChunk(usageWithImages(20, 1295, 1290)))
      sendEvent(call, '[DONE]')
      call.response.end()
    })
    const connection = await RawConnection.open(world.url)
    const body = JSON.stringify(chatBody({ ...DRAW, modalities, stream: true }))
    connection.send(requestBytes({ headers: headersOf(holder.secret), body }))
    await connection.readHead()
    connection.destroy()
    expect(await world.record(holder.accountId)).toMatchObject({
      outcome: 'client_gone',
      estimated: false,
      charged: 20n * INPUT + 5n * OUTPUT + 1290n * IMAGE,
    })
    await world.expectSettledBooks(holder, 1)
  },
)

test('a response has the tokens of its images in its usage', async () => {
  const holder = await world.holder({}, BALANCE)
  world.vendor.answer((call) => sendJson(call, answerWithImages(1, usageWithImages(20, 1400, 1290))))
  const body = JSON.stringify({ model: 'fake/draws', input: 'Draw.', max_output_tokens: 8000 })
  const answer = await world.send({ path: '/v1/responses', headers: headersOf(holder.secret), body })
  expect(answer.json()).toMatchObject({
    usage: { output_tokens: 1400, total_tokens: 1420, output_tokens_details: { image_tokens: 1290 } },
  })
  expect(await world.record(holder.accountId)).toMatchObject({ charged: 20n * INPUT + 110n * OUTPUT + 1290n * IMAGE })
  await world.expectSettledBooks(holder, 1)
})

describe('asking for images', () => {
  test.each(['fake/draws', 'fake/groq'])('reaches the vendor as it came: %s', async (model) => {
    world.vendor.answer((call) => sendJson(call, answerWithImages(1, usageWithImages(20, 1400, 1290))))
    const image_config = { aspect_ratio: '16:9', image_size: '2K' }
    const { answer } = await chat({ model, image_config })
    expect(world.vendor.calls.at(-1)?.body ?? {}).toMatchObject({ modalities: ['image', 'text'], image_config })
    expect(answer.headers).not.toHaveProperty('x-tollgate-ignored')
  })

  test.each([[['image', 'text']], [['image']]])('of a model without a price for them is a 400: %j', async (modalities) => {
    await world.expectRefused(
      (secret) => ({ headers: headersOf(secret), body: JSON.stringify(chatBody({ model: 'fake/unpriced', modalities })) }),
      { condition: 'invalid_request', param: 'modalities', message: /no price for images/ },
    )
  })

  test('of a bridged vendor that makes none is a 400', async () => {
    world.vendor.answer(respondClaude(claudeAnswer([claudeText('ok')])))
    await world.expectRefused(
      (secret) => ({
        headers: headersOf(secret),
        body: JSON.stringify(chatBody({ model: 'fake/anthropic', modalities: ['image', 'text'] })),
      }),
      { condition: 'invalid_request', param: 'modalities', message: /cannot make images/ },
    )
  })

  test.each([false, true])('of Gemini is billed by what its own usage says (stream: %s)', async (stream) => {
    const usage = {
      candidatesTokenCount: 1300,
      totalTokenCount: 1410,
      thoughtsTokenCount: 100,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
    }
    world.vendor.answer(
      respondGemini(geminiAnswer([{ text: 'Here.' }, { inlineData: { mimeType: 'image/png', data: PNG } }], usage)),
    )
    const { answer, record } = await chat({ model: 'fake/google', stream, image_config: { aspect_ratio: '16:9' } })
    expect(answer.text).toContain(PNG)
    expect(record).toMatchObject({ estimated: false, output: 1400n, reasoning: 100n })
    expect(record.charged).toBe(10n * INPUT + 110n * OUTPUT + 1290n * IMAGE)
    expect(world.vendor.calls.at(-1)?.body ?? {}).toMatchObject({
      generationConfig: { responseModalities: ['IMAGE', 'TEXT'], imageConfig: { aspectRatio: '16:9' } },
    })
  })
})
