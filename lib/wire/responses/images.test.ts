import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { createResponse } from '../responses.ts'
import { preparedResponse } from '../testing.ts'
import { nonStreamingFromChat, ResponsesChatTap } from './chat-tap.ts'
import { nativeFieldToRequest, nativeRequest } from './native.ts'

const head = { modelId: 'our/model', requestId: `req_${'0'.repeat(26)}`, at: new Date(5000), type: '' }
const PNG = `iVBORw0KGgo${'A'.repeat(100)}`
const made = (url: string) => ({ type: 'image_url', image_url: { url } })
const png = made(`data:image/png;base64,${PNG}`)
const idOf = (index: number) => `ig_${'0'.repeat(26)}_${index}`
const itemOf = (index: number) => ({
  id: idOf(index),
  type: 'image_generation_call',
  status: 'completed',
  result: PNG,
  output_format: 'png',
})

async function outputOfMessage(message: JsonObject): Promise<JsonObject[]> {
  const chat = { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: 'stop' }] }
  const answer = nonStreamingFromChat(Buffer.from(JSON.stringify(chat)), await preparedResponse({}), head)
  return (answer.toAnswerJson() as { output: JsonObject[] }).output
}

describe('an image that a chat model makes', () => {
  it('is an item of its own, after the text', async () => {
    expect(await outputOfMessage({ content: 'Here.', images: [png, png] })).toMatchObject([
      { type: 'message', content: [{ text: 'Here.' }] },
      itemOf(1),
      itemOf(2),
    ])
    expect(await outputOfMessage({ content: null, images: [png] })).toEqual([itemOf(0)])
  })

  it.each([
    ['the type that it has, whatever its label says', made(`data:image/jpeg;base64,${PNG}`), { output_format: 'png' }],
    ['the type of its label, if its content shows none', made('data:image/webp;base64,AAAA'), { output_format: 'webp' }],
  ])('has %s', async (_name, image, expected) => {
    expect(await outputOfMessage({ images: [image] })).toMatchObject([expected])
  })

  it('has no format that clients do not know', async () => {
    const [item] = await outputOfMessage({ images: [made('data:image/avif;base64,AAAA')] })
    expect(item).toEqual({ id: idOf(0), type: 'image_generation_call', status: 'completed', result: 'AAAA' })
  })

  it.each([
    [null],
    ['none'],
    [[null, 5, {}, made('https://example.com/a.png'), made('data:text/html;base64,AAAA'), made('data:image/png;base64,')]],
  ])('is none in %j', async (images) => {
    expect(await outputOfMessage({ content: 'x', images })).toMatchObject([{ type: 'message' }])
  })

  it('is streamed with the events of such an item, between the texts', async () => {
    const tap = new ResponsesChatTap(await preparedResponse({}), head)
    const deltas = [{ content: 'One:' }, { images: [{ ...png, index: 0 }] }, { content: 'Two.' }]
    const chunks = [...deltas.map((delta) => ({ choices: [{ delta }] })), { choices: [{ delta: {}, finish_reason: 'stop' }] }]
    const text = chunks
      .map((chunk) => Buffer.from(tap.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`))).toString())
      .join('')
    expect(tap.end().complete).toBe(true)
    const events = text
      .split('\n')
      .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as JsonObject] : []))
    const ofImage = events.filter(({ output_index }) => output_index === 1).map(({ sequence_number: _, ...event }) => event)
    const at = { item_id: idOf(1), output_index: 1 }
    expect(ofImage).toEqual([
      {
        type: 'response.output_item.added',
        output_index: 1,
        item: { id: idOf(1), type: 'image_generation_call', status: 'in_progress', result: null },
      },
      { type: 'response.image_generation_call.in_progress', ...at },
      { type: 'response.image_generation_call.generating', ...at },
      { type: 'response.image_generation_call.completed', ...at },
      { type: 'response.output_item.done', output_index: 1, item: itemOf(1) },
    ])
    expect((tap.toAnswerJson() as { output: JsonObject[] }).output.map(({ type }) => type)).toEqual([
      'message',
      'image_generation_call',
      'message',
    ])
    // An image is no text that could be counted.
    expect(tap.text()).toBe('One:Two.')
  })
})

describe('an image that comes back', () => {
  const user = (content: string) => ({ role: 'user', content })
  const said = (content: string) => ({ role: 'assistant', content })
  const item = itemOf(0)
  const shown = { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }] }
  const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'c1', output: 'done' }
  const bare = { type: 'image_generation_call', result: null }

  it.each([
    ['after what was said', [user('a'), said('b'), item, user('c')], [user('a'), said('b'), shown, user('c')]],
    [
      'between two texts',
      [user('a'), said('b'), item, said('c'), user('d')],
      [user('a'), said('b'), shown, said('c'), user('d')],
    ],
    ['alone', [user('a'), item, user('b')], [user('a'), shown, user('b')]],
    ['last', [user('a'), said('b'), item], [user('a'), said('b'), shown]],
    [
      'after the outputs of calls',
      [user('a'), item, call, output, said('b')],
      [user('a'), shown, { role: 'assistant', tool_calls: [{ id: 'c1' }] }, { role: 'tool', tool_call_id: 'c1' }, said('b')],
    ],
    [
      'never between calls and their outputs',
      [user('a'), call, item, output, said('b')],
      [user('a'), { role: 'assistant', tool_calls: [{ id: 'c1' }] }, { role: 'tool', tool_call_id: 'c1' }, shown, said('b')],
    ],
    ['but not if it was never made', [user('a'), said('b'), bare, user('c')], [user('a'), said('b'), user('c')]],
  ])('is shown to a chat in a message of the user: %s', async (_name, input, messages) => {
    const { chat } = await preparedResponse({ input })
    expect(chat.body.messages).toMatchObject(messages)
    expect(chat.body.messages).toHaveLength(messages.length)
  })

  it('is sized as an image', async () => {
    const { preparedChat } = await preparedResponse({ input: [user('a'), { ...item, result: PNG.repeat(5000) }] })
    expect(preparedChat.media.images).toBe(1)
    expect(preparedChat.inputBound).toBeLessThan(10_000)
  })

  it('is shown to a vendor of responses in the same way, because it is not one of its own items', async () => {
    const prepared = await preparedResponse({ input: [user('a'), item, bare, user('b')] })
    expect(nativeRequest(prepared).input).toMatchObject([
      user('a'),
      { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${PNG}` }] },
      user('b'),
    ])
    expect(nativeFieldToRequest('input[1].content[0].image_url', prepared)).toBe('input[1].result')
    expect(nativeFieldToRequest('input[2].content', prepared)).toBe('input[3].content')
  })

  it('is named as the client named it if a chat vendor refuses it', async () => {
    const prepared = await preparedResponse({ instructions: 'x', input: [user('a'), item] })
    const [, form] = createResponse.forms
    expect(form?.requestFieldOf?.('messages[2].content[0].image_url', prepared)).toBe('input[1].result')
  })

  it.each(['https://example.com/a.png', `data:image/png;base64,${PNG}`, ''])('is refused if it is %j', async (result) => {
    await expect(preparedResponse({ input: [user('a'), { ...item, result }] })).rejects.toMatchObject({
      param: 'input[1].result',
      message: expect.stringMatching(/the image itself, in base64/),
    })
  })
})
