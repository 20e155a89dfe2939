import { describe, expect, it } from 'vitest'
import type { JsonRecord } from '../history/json.ts'
import { abilitiesOf, chatBody, NO_PARAMS, readParams } from './chat-params.ts'
import { messagesFor } from './chat-turns.ts'
import { readDraft } from './read-media-replay.ts'
import { readReplay } from './read-replay.ts'

describe('a replay', () => {
  const messages: JsonRecord[] = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look' },
        { type: 'image_url', image_url: { url: '[image/png, 68 bytes, sha256 ab]' } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: '42' },
    { role: 'assistant', content: 'It is 42.' },
    { role: 'user', content: 'Sure?' },
  ]
  it('is the same conversation, and names the media that are missing', () => {
    const body = chatBody('m', messages, {
      temperature: 0.2,
      max_tokens: 9,
      tools: [{ type: 'function', function: { name: 'f' } }],
    })
    const replay = readReplay(body)
    expect(replay).toMatchObject({ model: 'm', system: 'Be brief.', missing: ['[image/png, 68 bytes, sha256 ab]'] })
    const exchanges = replay?.exchanges ?? []
    expect(exchanges).toHaveLength(2)
    const again = messagesFor(replay?.system ?? '', exchanges, {
      exchangeId: exchanges[1]?.id ?? '',
      lane: 0,
      model: 'm',
      pictures: true,
    })
    expect(again).toEqual([messages[0], { role: 'user', content: 'Look' }, ...messages.slice(2)])
    const { fields } = readParams(replay?.params ?? NO_PARAMS, abilitiesOf({ capabilities: [] }), 100)
    expect(chatBody('m', messages, fields)).toEqual(body)
  })
  it('asks for images again if it did', () => {
    const asked = { model: 'm', messages: [{ role: 'user', content: 'Draw.' }], modalities: ['image', 'text'] }
    expect(readReplay(asked)?.params.output).toBe('images')
    expect(readReplay({ ...asked, modalities: ['text'] })?.params.output).toBeUndefined()
  })
  it('searches the web again if it did, within the same limits', () => {
    const asked = { model: 'm', messages: [{ role: 'user', content: 'News?' }] }
    const limits = { max_uses: 2, filters: { allowed_domains: ['a.example'] } }
    const { params = NO_PARAMS } = readReplay({ ...asked, web_search_options: limits }) ?? {}
    const able = abilitiesOf({ capabilities: [], searches: true })
    expect(readParams(params, able, 100).fields).toEqual({ web_search_options: limits })
    expect(readParams({ ...params, search: '' }, able, 100).fields).toEqual({})
    expect(readReplay({ ...asked, web_search_options: null })?.params.search).toBeUndefined()
  })
  it('is null for what is no chat', () => {
    expect(readReplay({ model: 'm', input: 'x' })).toBeNull()
    expect(readReplay(null)).toBeNull()
  })
  it('fills the mode that an endpoint belongs to', () => {
    const image = { model: 'm', prompt: 'A cat', size: '512x512', n: 2 }
    expect(readDraft('images.generations', image)).toMatchObject({
      mode: 'images',
      draft: { prompt: 'A cat', size: '512x512', count: 2 },
    })
    expect(readDraft('audio.speech', { input: 'Hi', voice: 'v', speed: 2 })).toMatchObject({
      mode: 'speech',
      draft: { text: 'Hi', speed: '2' },
    })
    expect(readDraft('videos.generations', { prompt: 'Sea', duration: 10 })).toMatchObject({
      mode: 'video',
      draft: { duration: 10 },
    })
    expect(readDraft('embeddings', { input: 'x' })).toBeNull()
  })
  it('names uploads that were not kept, and is null where a text was not', () => {
    const edit = { prompt: 'Bluer', n: '2', image: ['a.png [image/png, 68 bytes, sha256 ab]'], mask: 'm.png [image/png]' }
    expect(readDraft('images.edits', edit)).toMatchObject({
      mode: 'images',
      draft: { prompt: 'Bluer', count: 2, missing: ['a.png [image/png, 68 bytes, sha256 ab]', 'm.png [image/png]'] },
    })
    expect(readDraft('audio.transcriptions', { language: 'en', file: 'talk.wav [audio/wav]' })).toMatchObject({
      mode: 'transcribe',
      draft: { language: 'en', missing: ['talk.wav [audio/wav]'] },
    })
    expect(readDraft('images.generations', { prompt: null })).toBeNull()
    expect(readDraft('videos.generations', {})).toBeNull()
  })
})
