import { describe, expect, it } from 'vitest'
import { CLAUDE } from '../testing.ts'
import { CustomInput } from './custom-tools.ts'
import { toLanguageAsk } from './language.ts'
import type { ChatBody } from './schema.ts'

/** What a reader returns for pieces, and at last for all of them together. */
function read(pieces: Iterable<string>): string[] {
  const input = new CustomInput()
  const all = [...pieces]
  return [...all.map((piece) => input.add(piece)), input.end(all.join(''))]
}

describe('the text of a call', () => {
  it.each([
    ['an escape that does not exist', '{"input":"a\\n\\q\\n\\"b\\""}', 'a\n\\q\n"b"'],
    ['one that is not complete', '{"input":"a\\n\\u12z \\u\\n"}', 'a\n\\u12z \\u\n'],
    ['a line that ends in it', '{"input":"a\n\\tb"}', 'a\n\tb'],
    ['every escape', '{"input":"\\b\\f\\n\\r\\t\\"\\\\\\/\\u00e9"}', '\b\f\n\r\t"\\/é'],
  ])('is the same in pieces and whole, with %s', (_, json, text) => {
    expect(read([json]).join('')).toBe(text)
    expect(read(json).join('')).toBe(text)
    expect(new CustomInput().end(json)).toBe(text)
  })

  it('is not cut within a character, which some clients cannot join', () => {
    expect(read('{"input":"\\ud83d\\ude00"}').filter((piece) => piece !== '')).toEqual(['😀'])
    expect(read(['{"input":"a\ud83d', '\ude00b', '"}'])).toEqual(['a', '😀b', '', ''])
    expect(read('{"input":"\\ud83d"}').join('')).toBe('\ud83d')
  })

  it('can be long, and have as many escapes as characters', () => {
    const text = 'a\n'.repeat(2_500_000)
    const json = JSON.stringify({ input: text })
    expect(read([json]).join('') === text).toBe(true)
  })

  it.each([
    ['has other arguments', JSON.stringify({ patch: 'x'.repeat(300_000) })],
    ['has more arguments after it', JSON.stringify({ input: '', why: 'x'.repeat(300_000) })],
    ['has an escape that does not exist', `{"input":"\\uZZ${'x'.repeat(300_000)}`],
  ])('takes no longer with every piece if the call %s', (_, json) => {
    const before = performance.now()
    read(json)
    expect(performance.now() - before).toBeLessThan(2000)
  })
})

it('a choice of a custom tool that is not among the tools is refused in words that fit both kinds', () => {
  const named = (name: string) => ({ type: 'custom' as const, custom: { name } })
  const allowed = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named('d')] } }
  for (const tool_choice of [named('d'), allowed]) {
    const body = { model: 'm', messages: [{ role: 'user', content: 'x' }], tools: [named('c')], tool_choice } as ChatBody
    expect(() => toLanguageAsk(body, CLAUDE)).toThrow('It does not name one of the "tools".')
  }
})
