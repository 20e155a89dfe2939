import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asRefusal } from '../domain/errors.ts'
import type { ModelPrice } from '../domain/price.ts'
import { countTokens } from '../gateway/count-tokens.ts'
import { decodeTokens } from '../gateway/decode-tokens.ts'
import { functionOfCustomTool } from './chat/custom-tools.ts'
import { chatCompletions } from './chat.ts'
import type { Bound, PreparePorts } from './endpoint.ts'
import { emptyResponseStore, model } from './testing.ts'

const price: ModelPrice = { id: 'p', from: new Date(0), rates: { input: 10n ** 9n, output: 10n ** 10n }, vendorRates: {} }
const ports = (bodyBytes: number): PreparePorts => ({
  model,
  price,
  accountId: 'acc_1',
  keepHistory: true,
  responses: emptyResponseStore,
  bodyBytes,
  countTokens,
  decodeTokens,
  supportsWire: () => true,
  audioSeconds: async () => null,
})

/** The bound of a body that is sent as this text. */
async function boundOf(text: string, freeNano = 10n ** 12n, multiplierBp = 10_000n): Promise<{ bound: Bound; counted: string }> {
  const own = ports(Buffer.byteLength(text))
  const prepared = await chatCompletions.prepare(chatCompletions.parse(JSON.parse(text)), own)
  return {
    bound: chatCompletions.bound(prepared, own, price, multiplierBp, freeNano, 0),
    counted: chatCompletions.text(prepared),
  }
}

const word = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.lorem(), fc.constantFrom('\u0001', '\ud800', '1e20', '😀'))
const number = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(1e20, -1e20, 123456e15),
)
const message = fc.oneof(
  fc.record({ role: fc.constant('user'), content: word }),
  fc.record({
    role: fc.constant('user'),
    content: fc.array(fc.record({ type: fc.constant('text'), text: word }), { minLength: 1 }),
  }),
  fc.record({ role: fc.constant('assistant'), content: word, name: fc.constant('a') }),
)
const tool = fc.record({
  type: fc.constant('function'),
  function: fc.record({ name: fc.constant('f'), parameters: fc.record({ enum: fc.array(number, { maxLength: 30 }) }) }),
})
const body = fc.record(
  {
    model: fc.constant('our/model'),
    messages: fc.array(message, { minLength: 1, maxLength: 4 }),
    tools: fc.array(tool, { maxLength: 2 }),
    n: fc.integer({ min: 1, max: 4 }),
    max_tokens: fc.integer({ min: 1, max: 4000 }),
  },
  { requiredKeys: ['model', 'messages'] },
)
/** JSON in which every number has its shortest spelling. */
const terse = (value: unknown): string =>
  JSON.stringify(value).replace(/(?<=[[,:])-?\d+(?=[\],}])/g, (digits) => {
    const short = Number(digits).toExponential().replace('e+', 'e')
    return short.length < digits.length ? short : digits
  })

describe('the bound of a chat request', () => {
  it('has at least as many tokens as any text of it, however briefly it is written', async () => {
    await fc.assert(
      fc.asyncProperty(body, async (item) => {
        const { bound, counted } = await boundOf(terse(item))
        const choices = BigInt(item.n ?? 1)
        expect(bound.usage.input / choices).toBeGreaterThanOrEqual(BigInt(await countTokens(counted)))
        // The worst tokenizer has one token for each byte. The brackets around the parts are ours and not part of the text.
        const frame = '[,null,null,null]'.length
        expect(bound.usage.input / choices).toBeGreaterThanOrEqual(BigInt(Buffer.byteLength(counted) - frame))
        expect(bound.usage.output).toBe(BigInt(bound.cap) * choices)
        if (item.max_tokens) expect(bound.cap).toBe(item.max_tokens)
      }),
      { numRuns: 300 },
    )
  })

  it('never falls when a message, a choice or a token is added', async () => {
    await fc.assert(
      fc.asyncProperty(body, message, async (item, more) => {
        const before = (await boundOf(terse(item))).bound
        const longer = (await boundOf(terse({ ...item, messages: [...item.messages, more] }))).bound
        expect(longer.usage.input).toBeGreaterThanOrEqual(before.usage.input)
        const wider = (await boundOf(terse({ ...item, n: (item.n ?? 1) + 1 }))).bound
        expect(wider.usage.input).toBeGreaterThan(before.usage.input)
        expect(wider.cap).toBeLessThanOrEqual(before.cap)
        if (item.max_tokens !== undefined) {
          const deeper = (await boundOf(terse({ ...item, max_tokens: item.max_tokens + 1 }))).bound
          expect(deeper.usage.output).toBeGreaterThan(before.usage.output)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('holds for every token of a prediction, in each choice: rejected ones are billed as output', async () => {
    const content = 'const answer = 42\n'.repeat(50)
    const plain = { model: 'our/model', messages: [{ role: 'user', content: 'x' }], n: 2, max_tokens: 100 }
    const { bound } = await boundOf(JSON.stringify({ ...plain, prediction: { type: 'content', content } }))
    expect(bound.usage.output).toBeGreaterThanOrEqual(2n * BigInt(100 + content.length))
    expect(bound.cap).toBe(100)
  })

  it('covers what custom tools become as functions', async () => {
    const custom = (at: number) => ({
      type: 'custom' as const,
      custom: { name: `t${at}`, format: { type: 'grammar', grammar: { definition: 'start: "x"' } } },
    })
    const tools = Array.from({ length: 256 }, (_, at) => custom(at))
    const plain = { model: 'our/model', messages: [{ role: 'user', content: 'x' }] }
    const { bound } = await boundOf(JSON.stringify({ ...plain, tools }))
    const notes = { ignored: new Set<string>(), detail: undefined }
    const sent = tools.map((tool) => ({ type: 'function', function: functionOfCustomTool(tool, notes) }))
    expect(bound.usage.input).toBeGreaterThanOrEqual(BigInt(JSON.stringify({ ...plain, tools: sent }).length))
  })

  it('without a cap asks for what a quarter of the money buys, at least 4096 and at most what the model writes', async () => {
    const plain = JSON.stringify({ model: 'our/model', messages: [{ role: 'user', content: 'x' }] })
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.bigInt({ min: 0n, max: 10n ** 10n }), async (free, more) => {
        const { cap } = (await boundOf(plain, free)).bound
        expect(cap).toBeGreaterThanOrEqual(4096)
        expect(cap).toBeLessThanOrEqual(model.maxOutput)
        expect((await boundOf(plain, free + more)).bound.cap).toBeGreaterThanOrEqual(cap)
      }),
    )
  })
})

describe('a chat request of any JSON', () => {
  it.each(['messages', 'tools', 'stop'])('is refused where "%s" is an object with a length that is no number', (field) => {
    const given = { model: 'our/model', messages: [{ role: 'user', content: 'Hi' }], [field]: { length: { toString: null } } }
    try {
      chatCompletions.parse(given)
      expect.unreachable()
    } catch (error) {
      expect(asRefusal(error)).toMatchObject({ status: 400, param: field })
    }
  })

  const kinds = fc.constantFrom('messages', 'tools', 'response_format', 'functions', 'stream_options', 'n', 'max_tokens', 'stop')
  it('is refused as a 400 or goes through every step, history included', async () => {
    await fc.assert(
      fc.asyncProperty(body, kinds, fc.jsonValue({ maxDepth: 4 }), async (item, field, value) => {
        const text = JSON.stringify({ ...item, [field]: value })
        try {
          const input = chatCompletions.parse(JSON.parse(text))
          expect(JSON.stringify(chatCompletions.redact(input))).toBeTypeOf('string')
          await boundOf(text)
        } catch (error) {
          const refusal = asRefusal(error)
          expect(refusal?.status, String((error as Error).stack)).toBe(400)
          expect(refusal?.param?.split(/[.[]/)[0]).toBe(field)
        }
      }),
      { numRuns: 1500 },
    )
  })
})
