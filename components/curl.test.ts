import { describe, expect, it } from 'vitest'
import { curl, exampleCurl, pickChatModel, shellQuote } from './curl.ts'

describe('curl', () => {
  it('quotes whatever is in the body', () => {
    expect(shellQuote('it\'s $HOME `x` "y"')).toBe(`'it'\\''s $HOME \`x\` "y"'`)
  })
  it('writes a call that can be pasted', () => {
    expect(exampleCurl('http://localhost:3000/v1', 'sandbox/chat', 'Hello!', 'sk-tg-abc')).toBe(
      [
        'curl http://localhost:3000/v1/chat/completions \\',
        '  -H "Authorization: Bearer sk-tg-abc" \\',
        '  -H "Content-Type: application/json" \\',
        `  -d '{"model":"sandbox/chat","messages":[{"role":"user","content":"Hello!"}]}'`,
      ].join('\n'),
    )
  })
  it('leaves the key to the shell where it is not known', () => {
    expect(curl({ url: 'http://x', body: {} })).toContain('Bearer $TOLLGATE_KEY"')
  })
})

describe('pickChatModel', () => {
  it.each([
    [['openai/text-embedding-3', 'openai/gpt-mini'], 'openai/gpt-mini'],
    [['sandbox/chat', 'openai/gpt-mini'], 'openai/gpt-mini'],
    [['sandbox/error-429', 'sandbox/chat'], 'sandbox/chat'],
    [['image/only'], 'image/only'],
    [[], undefined],
  ])('of %j is %s', (models, model) => {
    expect(pickChatModel(models)).toBe(model)
  })
})
