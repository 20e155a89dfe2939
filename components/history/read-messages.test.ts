import { describe, expect, it } from 'vitest'
import { readAnswer, readRequest } from './read-messages.ts'
import { splitCode } from './split-code.ts'

describe('readRequest', () => {
  it('reads a chat with an image and a tool call', () => {
    const turns = readRequest({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'image_url', image_url: { url: 'sha256:ab (12 kB)' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: 'a cat' },
      ],
    })
    expect(turns).toEqual([
      { role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        parts: [
          { kind: 'text', text: 'What is this?' },
          { kind: 'media', media: 'image', note: 'sha256:ab (12 kB)' },
        ],
      },
      { role: 'assistant', parts: [{ kind: 'call', name: 'look', text: '{\n  "at": 1\n}' }] },
      { role: 'tool', parts: [{ kind: 'text', text: 'a cat' }] },
    ])
  })

  it('reads the Responses format', () => {
    const turns = readRequest({
      instructions: 'Be kind.',
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
        { type: 'function_call', name: 'f', arguments: 'not json' },
        { type: 'function_call_output', output: '42' },
      ],
    })
    expect(turns.map((turn) => turn.role)).toEqual(['system', 'user', 'assistant', 'tool'])
    expect(turns[2]?.parts).toEqual([{ kind: 'call', name: 'f', text: 'not json' }])
  })

  it.each([
    [{ prompt: 'a lake' }, 'a lake'],
    [{ input: 'embed me' }, 'embed me'],
    [{ input: ['one', 'two'] }, 'one'],
  ])('reads %j', (body, first) => {
    expect(readRequest(body)[0]?.parts[0]).toEqual({ kind: 'text', text: first })
  })

  it('shows what it does not know as it is', () => {
    expect(readRequest({ odd: true })[0]?.parts[0]).toEqual({ kind: 'json', text: '{\n  "odd": true\n}' })
    expect(readRequest(null)[0]?.parts[0]?.kind).toBe('json')
    expect(readRequest([1])[0]?.parts[0]?.kind).toBe('json')
  })
})

describe('readAnswer', () => {
  it('reads choices with thoughts and refusals', () => {
    const message = { role: 'assistant', reasoning_content: 'hm', content: 'Yes.', refusal: 'No.' }
    expect(readAnswer({ choices: [{ message }] })[0]?.parts.map((part) => part.kind)).toEqual(['reasoning', 'text', 'refusal'])
  })
  it('reads outputs, vectors, pictures and errors', () => {
    expect(
      readAnswer({
        output: [
          { type: 'reasoning', summary: [] },
          { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
        ],
      }),
    ).toEqual([{ role: 'assistant', parts: [{ kind: 'text', text: 'Hi' }] }])
    expect(readAnswer({ data: [{ embedding: [1] }, { embedding: [2] }] })[0]?.parts).toEqual([{ kind: 'vectors', count: 2 }])
    expect(readAnswer({ data: [{ url: 'https://x/y.png' }] })[0]?.parts[0]).toEqual({
      kind: 'media',
      media: 'image',
      note: 'https://x/y.png',
    })
    expect(readAnswer({ error: { message: 'Too busy.' } })[0]?.parts[0]).toEqual({ kind: 'text', text: 'Too busy.' })
  })
})

describe('splitCode', () => {
  it('cuts at fences', () => {
    expect(splitCode('Look:\n```ts\nconst a = 1\n\nb()\n```\nDone.')).toEqual([
      { kind: 'text', text: 'Look:', language: '' },
      { kind: 'code', text: 'const a = 1\n\nb()', language: 'ts' },
      { kind: 'text', text: 'Done.', language: '' },
    ])
  })
  it('takes an open fence to the end', () => {
    expect(splitCode('```\nhalf of')).toEqual([{ kind: 'code', text: 'half of', language: '' }])
    expect(splitCode('none')).toEqual([{ kind: 'text', text: 'none', language: '' }])
  })
})
