import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDecimal } from '../../domain/money.ts'
import type { JsonObject } from '../json.ts'
import { readChatUsage, writeChatUsage } from './usage.ts'

const count = fc.integer({ min: 0, max: 1_000_000_000 })
/** An all-zero usage counts as none. */
const some = fc.integer({ min: 1, max: 1_000_000_000 })
const read = (prompt: unknown, completion: unknown, more: object = {}) =>
  readChatUsage({ prompt_tokens: prompt, completion_tokens: completion, ...more })

describe('readChatUsage', () => {
  it('splits the input into units that do not overlap, and loses none of it', () => {
    fc.assert(
      fc.property(some, count, count, count, count, fc.boolean(), (prompt, completion, cached, written, reasoning, beside) => {
        const usage = read(prompt, completion, {
          ...(beside ? {} : { total_tokens: prompt + completion }),
          prompt_tokens_details: { cached_tokens: cached, cache_write_tokens: written },
          completion_tokens_details: { reasoning_tokens: reasoning },
        })
        if (!usage) throw new Error('no usage')
        const all = beside && cached > prompt ? prompt + cached : prompt
        expect(usage.input + usage.cachedInput + usage.cacheWrite).toBe(BigInt(all))
        for (const units of Object.values(usage)) expect(units).toBeGreaterThanOrEqual(0n)
        expect(usage.cachedInput).toBe(BigInt(Math.min(cached, all)))
        expect(usage.reasoning).toBeLessThanOrEqual(usage.output)
        expect(usage.requests).toBe(1n)
      }),
    )
  })

  it('adds reasoning to the output where the total says that it comes on top, as xAI reports it', () => {
    fc.assert(
      fc.property(some, fc.nat(1_000_000), fc.integer({ min: 1, max: 1_000_000 }), (prompt, completion, reasoning) => {
        const details = { completion_tokens_details: { reasoning_tokens: reasoning } }
        const onTop = read(prompt, completion, { ...details, total_tokens: prompt + completion + reasoning })
        expect(onTop).toMatchObject({ output: BigInt(completion + reasoning), reasoning: BigInt(reasoning) })
        const inside = read(prompt, completion + reasoning, { ...details, total_tokens: prompt + completion + reasoning })
        expect(inside).toMatchObject({ output: BigInt(completion + reasoning), reasoning: BigInt(reasoning) })
        expect(read(prompt, completion, details)).toMatchObject({ output: BigInt(completion) })
      }),
    )
    const apart = read(32, 9, { total_tokens: 135, completion_tokens_details: { reasoning_tokens: 94 } })
    expect(apart).toMatchObject({ input: 32n, output: 103n, reasoning: 94n })
  })

  it('takes the tokens of images apart from the completion without reasoning, and loses none of it', () => {
    fc.assert(
      fc.property(some, count, count, count, (prompt, completion, reasoning, images) => {
        const usage = read(prompt, completion, {
          completion_tokens_details: { reasoning_tokens: reasoning, image_tokens: images },
        })
        if (!usage) throw new Error('no usage')
        const thought = Math.min(reasoning, completion)
        const drawn = BigInt(Math.min(images, completion - thought))
        expect(usage).toMatchObject({ output: BigInt(completion) - drawn, reasoning: BigInt(thought) })
        expect(usage.media?.image_output ?? 0n).toBe(drawn)
      }),
    )
    const apart = read(32, 1300, {
      total_tokens: 1432,
      completion_tokens_details: { reasoning_tokens: 100, image_tokens: 1290 },
    })
    expect(apart).toMatchObject({ output: 110n, reasoning: 100n, media: { image_output: 1290n } })
    expect(read(1, 5, { completion_tokens_details: { image_tokens: 0 } })).not.toHaveProperty('media')
  })

  it('takes more cached tokens than there are in all as beside them, as some models of xAI report it', () => {
    // Recorded: 4,142 tokens at the full price, and 4,328 from the cache.
    const prompt_tokens_details = { cached_tokens: 4328 }
    const expected = { input: 4142n, cachedInput: 4328n, output: 254n }
    expect(read(4142, 254, { prompt_tokens_details, total_tokens: 8724 })).toMatchObject(expected)
    expect(read(4142, 254, { prompt_tokens_details })).toMatchObject(expected)
    const thought = { prompt_tokens_details, completion_tokens_details: { reasoning_tokens: 9 }, total_tokens: 8733 }
    expect(read(4142, 254, thought)).toMatchObject({ ...expected, output: 263n, reasoning: 9n })
  })

  it('takes no more from the cache than the prompt has where the total says that this is all, as SGLang reports several answers', () => {
    const prompt_tokens_details = { cached_tokens: 4 * 90 }
    for (const [reasoning_tokens, total_tokens] of [
      [0, 180],
      [20, 180],
      [20, 200],
    ])
      expect(
        read(100, 80, { prompt_tokens_details, completion_tokens_details: { reasoning_tokens }, total_tokens }),
      ).toMatchObject({ input: 0n, cachedInput: 100n })
  })

  it('knows what was written to the cache as LiteLLM reports it', () => {
    const details = {
      cached_tokens: 20,
      cache_creation_tokens: 50,
      cache_creation_token_details: { ephemeral_5m_input_tokens: 50 },
    }
    expect(read(100, 5, { prompt_tokens_details: details })).toMatchObject({ input: 30n, cachedInput: 20n, cacheWrite: 50n })
  })

  it('knows the cache as DeepSeek reports it', () => {
    expect(read(100, 5, { prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 })).toMatchObject({
      input: 36n,
      cachedInput: 64n,
    })
  })

  it('is null where a count is missing or makes no sense', () => {
    const absurd = fc.oneof(
      fc.integer({ max: -1 }),
      fc.integer({ min: 1_000_000_001 }),
      fc.constantFrom(1.5, Number.NaN, Number.POSITIVE_INFINITY, 1e15),
      fc.string(),
      fc.constantFrom(null, undefined, true, [5], { a: 1 }),
    )
    fc.assert(
      fc.property(absurd, count, (bad, good) => {
        expect(read(bad, good)).toBeNull()
        expect(read(good, bad)).toBeNull()
      }),
    )
    for (const raw of [null, undefined, 5, 'usage', [], [10, 5]]) expect(readChatUsage(raw)).toBeNull()
  })

  it('ignores details that make no sense, and never throws', () => {
    fc.assert(
      fc.property(some, count, fc.jsonValue(), fc.jsonValue(), (prompt, completion, one, two) => {
        const usage = read(prompt, completion, { prompt_tokens_details: one, completion_tokens_details: two })
        expect(usage).toMatchObject({ output: BigInt(completion) })
        expect((usage?.input ?? 0n) + (usage?.cachedInput ?? 0n) + (usage?.cacheWrite ?? 0n)).toBe(BigInt(prompt))
      }),
    )
  })
})

describe('writeChatUsage', () => {
  // The sum of two of them is still a valid count.
  const half = fc.integer({ min: 1, max: 500_000_000 })

  it('says what was charged, exactly, and reads back to the same usage', () => {
    fc.assert(
      fc.property(
        half,
        count,
        half,
        count,
        count,
        fc.bigInt({ min: 0n, max: 10n ** 18n }),
        (prompt, completion, cached, reasoning, images, cost) => {
          const raw = {
            prompt_tokens: prompt,
            completion_tokens: completion,
            prompt_tokens_details: { cached_tokens: cached, audio_tokens: 3 },
            completion_tokens_details: { reasoning_tokens: reasoning, image_tokens: images },
            own: { kept: true },
          }
          const usage = readChatUsage(raw)
          if (!usage) throw new Error('no usage')
          const text = JSON.stringify(writeChatUsage(usage, cost, raw as JsonObject))
          expect(text).toContain(`"cost":${formatDecimal(cost)}}`)
          const written = JSON.parse(text) as Record<string, unknown>
          expect(written.total_tokens).toBe(Number(written.prompt_tokens) + Number(written.completion_tokens))
          expect(written).toMatchObject({ own: { kept: true }, prompt_tokens_details: { audio_tokens: 3 } })
          expect(readChatUsage(written)).toEqual(usage)
        },
      ),
    )
  })
})
