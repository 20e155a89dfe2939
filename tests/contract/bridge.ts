import { BadRequestError } from 'openai'
import { describe, expect, test } from 'vitest'
import { claudeAnswer, claudeText, geminiAnswer, respondClaude, respondGemini } from '../fakes/bridged-vendors.ts'
import type { Call } from '../fakes/vendor.ts'
import { costOf, expectRejection, readAll } from './expectations.ts'
import type { Host } from './world.ts'

const TOOL = { type: 'function' as const, function: { name: 'get_weather', parameters: { type: 'object', properties: {} } } }
const INPUT = { city: 'Oslo' }
const CALL = { name: 'get_weather', id: 'call_oslo' }
/** 10 tokens at $2.50 and 5 at $10 per million. */
const COST_NANO = 75_000n

const RESPONSES: Record<'anthropic' | 'google', { text(text: string): (call: Call) => void; call: (call: Call) => void }> = {
  anthropic: {
    text: (text) => respondClaude(claudeAnswer([claudeText(text)])),
    call: respondClaude(claudeAnswer([{ type: 'tool_use', ...CALL, input: INPUT }], {}, 'tool_use')),
  },
  google: {
    text: (text) => respondGemini(geminiAnswer([{ text }])),
    call: respondGemini(geminiAnswer([{ functionCall: { ...CALL, args: INPUT } }])),
  },
}

/** Models whose vendors speak other wires, through the official SDK. */
export function bridge(host: Host): void {
  describe.each(['anthropic', 'google'] as const)('a model of the kind %s', (kind) => {
    const ask = () => ({ model: host.bridgedModels[kind], messages: [{ role: 'user' as const, content: 'Hi' }] })

    test('answers whole and streamed, and is charged the same', async () => {
      const account = await host.newAccount()
      const client = host.openai({ apiKey: account.key })
      host.vendor.answer(RESPONSES[kind].text('Hello back.'))
      const nonStreaming = await client.chat.completions.create(ask())
      expect(nonStreaming.choices[0]?.message.content).toBe('Hello back.')
      const options = { stream: true, stream_options: { include_usage: true } } as const
      const chunks = await readAll(await client.chat.completions.create({ ...ask(), ...options }))
      expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('Hello back.')
      expect([costOf(nonStreaming.usage), costOf(chunks.at(-1)?.usage)]).toEqual([COST_NANO, COST_NANO])
      expect(await account.spent()).toBe(2n * COST_NANO)
    })

    test('calls tools, streamed, and takes what they gave', async () => {
      const client = host.openai()
      host.vendor.answer(RESPONSES[kind].call)
      const stream = client.chat.completions.stream({ ...ask(), tools: [TOOL] })
      const message = (await stream.finalChatCompletion()).choices[0]?.message
      expect(message?.tool_calls).toMatchObject([{ id: 'call_oslo', function: { arguments: '{"city":"Oslo"}' } }])
      if (!message) throw new Error('there is no message')
      host.vendor.answer(RESPONSES[kind].text('It is cold.'))
      const result = { role: 'tool' as const, tool_call_id: 'call_oslo', content: 'minus four' }
      const second = await client.chat.completions.create({
        ...ask(),
        tools: [TOOL],
        messages: [...ask().messages, message, result],
      })
      expect(second.choices[0]?.message.content).toBe('It is cold.')
      expect(JSON.stringify(host.vendor.calls.at(-1)?.body)).toContain('minus four')
    })

    test('refuses what its vendor has no such thing for, by its field', async () => {
      const refused = host.openai().chat.completions.create({ ...ask(), logit_bias: { '5': 1 } })
      expect((await expectRejection(BadRequestError, refused)).param).toBe('logit_bias')
    })
  })
}
