import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readChat } from './request.ts'
import { userBody } from './testing.ts'
import { countPrompt } from './usage.ts'

const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 60 }), fc.lorem())
const part = fc.oneof(
  text.map((value) => ({ type: 'text', text: value })),
  fc.constant({ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }),
  fc.constant({ type: 'video_url', video_url: { url: 'x' } }),
  fc.constant({ type: 'input_audio', input_audio: { data: 'A', format: 'wav' } }),
  fc.constant({ type: 'file', file: { file_data: 'A' } }),
)
const message = fc.oneof(
  fc.record({ role: fc.constant('user'), content: fc.oneof(text, fc.array(part, { maxLength: 6 })), name: text }),
  fc.record({ role: fc.constant('system'), content: text }),
  fc.record({
    role: fc.constant('assistant'),
    content: fc.constant(null),
    tool_calls: fc.array(
      fc.record({ id: text, type: fc.constant('function'), function: fc.record({ name: text, arguments: text }) }),
      {
        maxLength: 3,
      },
    ),
  }),
  fc.record({ role: fc.constant('tool'), content: text, tool_call_id: text }),
)
const tool = fc.record({ type: fc.constant('function'), function: fc.record({ name: text, parameters: fc.jsonValue() }) })

describe('countPrompt', () => {
  it('never exceeds the bytes of the body and 85 for each image', () => {
    const body = fc.record({ messages: fc.array(message, { maxLength: 6 }), tools: fc.array(tool, { maxLength: 3 }) })
    fc.assert(
      fc.property(body, (given) => {
        const json = JSON.stringify(given)
        const images = json.split('"type":"image_url"').length - 1
        expect(countPrompt(readChat(given).messages, given.tools)).toBeLessThanOrEqual(Buffer.byteLength(json) + images * 85)
      }),
    )
  })

  it('stays below the bytes of numbers that JSON.stringify writes longer than they came', () => {
    const raw = `{"messages":[],"tools":[${Array.from({ length: 500 }, () => '1e20,1e-6,0.1e7').join(',')}]}`
    const { messages } = readChat(JSON.parse(raw))
    expect(countPrompt(messages, JSON.parse(raw).tools)).toBeLessThanOrEqual(raw.length)
  })

  it('counts four for a message, its text, tools, and 85 for an image', () => {
    const count = (content: unknown, tools?: unknown) => countPrompt(readChat(userBody(content)).messages, tools)
    expect(count('Hello, world')).toBe(7)
    expect(count([{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }])).toBe(89)
    expect(count('', ['ab'])).toBe(4 + 5)
  })
})
