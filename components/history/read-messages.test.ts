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

  it('reads a call in the form that it had before there were several', () => {
    const message = { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{"at":1}' } }
    expect(readRequest({ messages: [message] })).toEqual([
      { role: 'assistant', parts: [{ kind: 'call', name: 'look', text: '{\n  "at": 1\n}' }] },
    ])
  })

  it('reads a sound that is to be written down, with what was said of it', () => {
    const note = 'talk.mp3 [audio/mpeg, 4096 bytes, sha256 ab]'
    expect(readRequest({ model: 'm', prompt: 'Names: Ann', file: note })).toEqual([
      { role: 'user', parts: [{ kind: 'media', media: 'audio', note }] },
      { role: 'user', parts: [{ kind: 'text', text: 'Names: Ann' }] },
    ])
    expect(readAnswer({ text: 'Hello.', duration: 2.4 })).toEqual([
      { role: 'assistant', parts: [{ kind: 'text', text: 'Hello.' }] },
    ])
  })

  it('reads a text that is to be spoken', () => {
    expect(readRequest({ model: 'm', input: 'Hello.', instructions: 'Calmly.', voice: 'alloy' })).toEqual([
      { role: 'system', parts: [{ kind: 'text', text: 'Calmly.' }] },
      { role: 'user', parts: [{ kind: 'text', text: 'Hello.' }] },
    ])
    const note = '[audio/mpeg, 4096 bytes, sha256 ab]'
    expect(readAnswer({ audio: note })).toEqual([{ role: 'assistant', parts: [{ kind: 'media', media: 'audio', note }] }])
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

  it('reads texts to continue and to embed, and their tokens', () => {
    expect(readRequest({ prompt: 'def f():', suffix: 'return 1' })).toEqual([
      { role: 'user', parts: [{ kind: 'text', text: 'def f():' }] },
      { role: 'suffix', parts: [{ kind: 'text', text: 'return 1' }] },
    ])
    expect(readRequest({ input: [1, 2, 3] })[0]?.parts).toEqual([{ kind: 'tokens', count: 3 }])
    expect(readRequest({ prompt: [[1], [2, 3]] })[0]?.parts.map((part) => part.kind)).toEqual(['tokens', 'tokens'])
  })

  it('shows a part of very many texts, and says how many there are more', () => {
    const [turn, ...others] = readRequest({ input: Array.from({ length: 2048 }, (_, at) => `text ${at}`) })
    expect(others).toEqual([])
    expect(turn?.parts).toHaveLength(21)
    expect(turn?.parts.at(-1)).toEqual({ kind: 'more', count: 2028 })
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
  it('reads images to edit before what is to be done with them', () => {
    const [image, mask, words] = readRequest({ prompt: 'Add a heron', image: ['a.png [image/png]'], mask: 'm.png [image/png]' })
    expect([image, mask].map((item) => item?.parts[0])).toMatchObject([
      { note: 'a.png [image/png]' },
      { note: 'm.png [image/png]' },
    ])
    expect(words?.parts).toEqual([{ kind: 'text', text: 'Add a heron' }])
  })
  it('reads images that a model made in a chat', () => {
    const note = '[image/png, 600 bytes, sha256 ab]'
    const message = { role: 'assistant', content: 'Here.', images: [{ type: 'image_url', image_url: { url: note } }] }
    expect(readAnswer({ choices: [{ message }] })[0]?.parts).toEqual([
      { kind: 'text', text: 'Here.' },
      { kind: 'media', media: 'image', note },
    ])
  })
  it('reads images that a model made in a response', () => {
    const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: '[image, 600 bytes, sha256 ab]' }
    expect(readAnswer({ output: [item] })).toEqual([
      { role: 'assistant', parts: [{ kind: 'media', media: 'image', note: '[image, 600 bytes, sha256 ab]' }] },
    ])
  })
  it('reads calls of tools that a vendor defines', () => {
    const shell = { type: 'shell_call', call_id: 'c', action: { commands: ['ls'] } }
    const patch = { type: 'apply_patch_call', call_id: 'd', operation: { type: 'delete_file', path: 'a' } }
    const search = { type: 'web_search_call', id: 'ws_1', action: { type: 'search', query: 'gates' } }
    expect(readAnswer({ output: [shell, patch, search] }).map(({ parts }) => parts)).toMatchObject([
      [{ kind: 'call', name: 'shell', text: expect.stringContaining('"ls"') }],
      [{ kind: 'call', name: 'apply_patch', text: expect.stringContaining('"delete_file"') }],
      [{ kind: 'call', name: 'web_search', text: expect.stringContaining('"gates"') }],
    ])
    expect(readRequest({ input: [{ type: 'apply_patch_call_output', call_id: 'd', output: 'done' }] })).toEqual([
      { role: 'tool', parts: [{ kind: 'text', text: 'done' }] },
    ])
  })
  it('reads the web pages that an answer cites, each once, and only what can be a link', () => {
    const page = { url: 'https://a.example/lock', title: 'Locks' }
    const bad = { type: 'url_citation', url: 'javascript:alert(1)', title: 'x' }
    const untitled = { type: 'url_citation', url: 'http://b.example' }
    const pages = [page, { url: 'http://b.example', title: 'http://b.example' }]
    const cited = (annotation: Record<string, string>) => ({ type: 'url_citation', url_citation: annotation })
    const message = { role: 'assistant', content: 'Hi', annotations: [cited(page), cited(page), cited(bad), cited(untitled)] }
    const parts = [
      { kind: 'text', text: 'Hi' },
      { kind: 'pages', pages },
    ]
    expect(readAnswer({ choices: [{ message }] })[0]?.parts).toEqual(parts)
    const annotations = [{ type: 'url_citation', ...page }, bad, untitled]
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi', annotations }] }]
    expect(readAnswer({ output })[0]?.parts).toEqual(parts)
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
    expect(readAnswer({ data: [{ embedding: [1] }, { embedding: [2] }] })[0]?.parts).toEqual([
      { kind: 'vectors', count: 2, dimensions: null },
    ])
    expect(readAnswer({ data: [{ embedding: '[1536 numbers]' }] })[0]?.parts).toEqual([
      { kind: 'vectors', count: 1, dimensions: 1536 },
    ])
    expect(readAnswer({ object: 'text_completion', choices: [{ text: 'a' }, { text: 'b' }] }).map(({ parts }) => parts)).toEqual([
      [{ kind: 'text', text: 'a' }],
      [{ kind: 'text', text: 'b' }],
    ])
    expect(readAnswer({ data: [{ url: 'https://x/y.png' }] })[0]?.parts[0]).toEqual({
      kind: 'media',
      media: 'image',
      note: 'https://x/y.png',
    })
    const url = 'https://gateway/files/2026112019/file_a.png?expires=1800000000&signature=x'
    expect(readAnswer({ data: [{ url, b64_json: '[image/png, 5 bytes, sha256 ab]' }] })[0]?.parts[0]).toEqual({
      kind: 'media',
      media: 'image',
      note: '[image/png, 5 bytes, sha256 ab]',
      kept: { url, untilMs: 1_800_000_000_000 },
    })
    expect(readAnswer({ data: [{ url: `javascript:alert(1)//files/?expires=1` }] })[0]?.parts[0]).not.toHaveProperty('kept')
    const video = { object: 'video.generation', status: 'completed', duration: 5 }
    const made = { kind: 'media', media: 'video', note: '5 s' }
    expect(readAnswer({ ...video, video_url: url })[0]?.parts).toEqual([{ ...made, kept: { url, untilMs: 1_800_000_000_000 } }])
    expect(readAnswer(video)[0]?.parts).toEqual([made])
    expect(readAnswer({ ...video, status: 'failed', error: 'No.' })[0]?.parts).toEqual([{ kind: 'text', text: 'No.' }])
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
