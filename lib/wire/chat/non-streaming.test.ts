import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDecimal } from '../../domain/money.ts'
import { NO_USAGE } from '../../domain/usage.ts'
import type { StreamBrokenError } from '../answer.ts'
import type { JsonObject } from '../json.ts'
import { OWN_HEAD, RULES } from '../testing.ts'
import { readNonStreamingChat } from './non-streaming.ts'
import { readChatUsage } from './usage.ts'

const json = fc.jsonValue({ maxDepth: 3 })
const ownName = fc
  .string({ maxLength: 8 })
  .filter((name) => !['model', 'usage', 'choices', 'error', 'type', 'object', '__proto__', 'id', 'created'].includes(name))
const answer = fc
  .tuple(
    fc.array(
      fc.record({ index: fc.nat(3), message: fc.record({ content: fc.string() }), finish_reason: fc.constantFrom('stop', null) }),
      { minLength: 1, maxLength: 3 },
    ),
    fc.option(fc.record({ prompt_tokens: fc.nat(9999), completion_tokens: fc.nat(9999), own: json }), { nil: undefined }),
    fc.dictionary(ownName, json, { maxKeys: 4, noNullPrototype: true }),
  )
  .map(([choices, usage, own]) => ({ ...own, model: 'up', choices, ...(usage ? { usage } : {}) }))

const read = (value: unknown) => readNonStreamingChat(Buffer.from(JSON.stringify(value)), RULES)

describe('readWholeChat', () => {
  it('keeps every field, names our model, and says what was charged', () => {
    fc.assert(
      fc.property(answer, fc.bigInt({ min: 0n, max: 10n ** 15n }), (item, cost) => {
        const whole = read(item)
        expect(whole.usage).toEqual(item.usage ? readChatUsage(item.usage) : null)
        const written = whole.encode(whole.usage ?? NO_USAGE, cost).toString()
        expect(written).toContain(`"cost":${formatDecimal(cost)}`)
        const back = JSON.parse(written)
        const { usage, ...rest } = back
        const { usage: _, choices, ...sent } = JSON.parse(JSON.stringify(item))
        const ended = choices.map((choice: JsonObject) => ({
          ...choice,
          message: { ...(choice.message as JsonObject), role: 'assistant' },
          finish_reason: choice.finish_reason ?? 'stop',
        }))
        expect(rest).toEqual({ ...sent, ...OWN_HEAD, choices: ended, object: 'chat.completion', model: 'our/model' })
        // An all-zero usage counts as none.
        expect(readChatUsage(usage)).toEqual(whole.usage)
      }),
      { numRuns: 500 },
    )
  })

  it('reads or refuses whatever the vendor sends, and never fails otherwise', () => {
    const noise = fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map(Buffer.from),
      json.map((value) => Buffer.from(JSON.stringify(value))),
      fc.record({ choices: fc.array(json, { maxLength: 3 }), usage: json }).map((value) => Buffer.from(JSON.stringify(value))),
      fc
        .record({ choices: fc.array(fc.record({ message: json, finish_reason: json }), { maxLength: 3 }) })
        .map((value) => Buffer.from(JSON.stringify(value))),
    )
    fc.assert(
      fc.property(noise, (bytes) => {
        let whole: ReturnType<typeof readNonStreamingChat>
        try {
          whole = readNonStreamingChat(bytes, RULES)
        } catch (error) {
          expect((error as StreamBrokenError).mark).toBe('stream_broken')
          return
        }
        expect(typeof whole.text()).toBe('string')
        expect(JSON.parse(whole.encode(whole.usage ?? NO_USAGE, 1n).toString()).model).toBe('our/model')
        expect(whole.toAnswerJson()).toBeTypeOf('object')
      }),
      { numRuns: 3000 },
    )
  })
})
