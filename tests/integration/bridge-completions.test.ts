import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, headersOf, openApiWorld, UPSTREAM_MODEL, untilModelKnown, VENDOR_SECRET } from '../fakes/api-world.ts'
import { claudeAnswer, claudeText, geminiAnswer, respondClaude, respondGemini } from '../fakes/bridged-vendors.ts'
import { type Call, sendJson } from '../fakes/vendor.ts'
import { addModel } from '../support/fixtures.ts'
import { eventsOf, type RawAnswer } from '../support/raw-client.ts'

const KINDS = ['anthropic', 'google'] as const
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  for (const kind of KINDS)
    await addModel(world.pool, {
      id: `fake/${kind}`,
      baseUrl: world.vendor.url,
      kind,
      upstreamModel: UPSTREAM_MODEL,
      secret: VENDOR_SECRET,
    })
  await untilModelKnown(world, 'fake/google')
})
afterAll(() => world?.[Symbol.asyncDispose]())

// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
type Json = any

const respond = {
  anthropic: (text: string) => respondClaude(claudeAnswer([claudeText(text)])),
  google: (text: string) => respondGemini(geminiAnswer([{ text }])),
}
/** The system text and the user's text of a call, in each vendor's form. */
const textsOf = {
  anthropic: ({ body }: Call): string[] => [(body as Json).system[0].text, (body as Json).messages[0].content[0].text],
  google: ({ body }: Call): string[] => [
    (body as Json).systemInstruction.parts[0].text,
    (body as Json).contents[0].parts[0].text,
  ],
}

function readAnswer(answer: RawAnswer, stream: boolean): { texts: string[]; reasons: string[]; usage: Json } {
  const texts: string[] = []
  const reasons: string[] = []
  const events = stream ? eventsOf(answer.body) : []
  if (stream) expect(events.at(-1), answer.text).toBe('[DONE]')
  const chunks: Json[] = stream ? events.slice(0, -1).map((data) => JSON.parse(data)) : [answer.json()]
  for (const chunk of chunks)
    for (const { index, text, finish_reason } of chunk.choices) {
      expect(chunk.object).toBe('text_completion')
      texts[index] = (texts[index] ?? '') + text
      reasons[index] = finish_reason ?? reasons[index]
    }
  return { texts, reasons, usage: chunks.at(-1)?.usage }
}

describe.each(KINDS)('%s', (kind) => {
  describe.each([false, true])('stream: %s', (stream) => {
    const body = (overrides: object) =>
      JSON.stringify({
        model: `fake/${kind}`,
        ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
        ...overrides,
      })
    const ask = async (overrides: object) => {
      const holder = await world.holder()
      const answer = await world.send({ path: '/v1/completions', headers: headersOf(holder.secret), body: body(overrides) })
      return { answer, holder }
    }

    test('continues every prompt, as often as asked, under one hold', async () => {
      world.vendor.answer((call) => respond[kind](`|after ${textsOf[kind](call)[1]}`)(call))
      const callsBefore = world.vendor.calls.length
      const { answer, holder } = await ask({ prompt: ['one', 'two'], n: 2, echo: true, max_tokens: 50, temperature: 0.5 })
      expect(answer.status, answer.text).toBe(200)
      const calls = world.vendor.calls.slice(callsBefore)
      expect(calls.map((call) => textsOf[kind](call)[1]).sort()).toEqual(['one', 'one', 'two', 'two'])
      for (const call of calls) expect(textsOf[kind](call)[0]).toMatch(/^The user sends the beginning of a text/)
      const { texts, reasons, usage } = readAnswer(answer, stream)
      expect(texts).toEqual(['one|after one', 'one|after one', 'two|after two', 'two|after two'])
      expect(reasons).toEqual(['stop', 'stop', 'stop', 'stop'])
      expect(usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 20 })
      const record = await world.record(holder.accountId)
      expect(record).toMatchObject({ input: 40n, output: 20n, estimated: false, outcome: 'finished' })
      expect(record.trace).toHaveLength(1)
      world.expectNoLeaks(answer)
      await world.expectSettledBooks(holder, 1)
    })

    test('names what it left out', async () => {
      world.vendor.answer(respond[kind]('x'))
      const { answer } = await ask({ prompt: 'one', my_field: 1 })
      expect(answer.header('x-tollgate-ignored')).toContain('my_field')
    })

    test('fails as one where the vendor fails for one prompt, and is not charged', async () => {
      world.vendor.answer((call) =>
        textsOf[kind](call)[1] === 'bad' ? sendJson(call, { error: { message: 'no' } }, 500) : respond[kind]('x')(call),
      )
      const { answer, holder } = await ask({ prompt: ['one', 'bad'] })
      expect(answer.status).toBe(500)
      expect(await world.record(holder.accountId)).toMatchObject({ charged: 0n, outcome: 'vendor_failed' })
      await world.expectSettledBooks(holder, 1)
    })
  })
})
