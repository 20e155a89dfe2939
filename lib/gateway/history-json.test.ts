import { expect, it } from 'vitest'
import { chatCompletions } from '../wire/chat.ts'
import { parseJsonObject } from '../wire/json.ts'
import { createResponse } from '../wire/responses.ts'
import { createVideo } from '../wire/videos.ts'
import { deferHistoryJson, historyRequestOf, refusedBody, refusedForm } from './history-json.ts'

const asked = (body: string) => {
  const identity = Buffer.from(body)
  const input = chatCompletions.parse(parseJsonObject(identity))
  return historyRequestOf(identity, input, chatCompletions)
}

const request = (content: string, more = '') => `{"model":"m","messages":[{"role":"user","content":${content}}]${more}}`
const image = `data:image/png;base64,${'QUJD'.repeat(200)}`
const picture = (url: string) => request(`[{"type":"image_url","image_url":{"url":"${url}"}}]`)

it('a request without media is kept as it came', () => {
  const body = request('"Grüße \\n"', ', "seed": 1.0')
  expect(asked(body)).toBe(body)
})

it.each([
  ['plain', picture(image)],
  ['with an escaped letter', picture(image.replace('data', '\\u0064ata'))],
  ['behind a mark of the byte order', `\ufeff${picture(image)}`],
  ['behind a space', ` ${picture(image)}`],
  ['in capitals', picture(image.replace('data', 'DATA'))],
  ['in a long body', picture(`${image}${'QUJD'.repeat(20_000)}`)],
])('media are replaced: %s', (_name, body) => {
  const kept = asked(body)
  const json = deferHistoryJson(kept, () => ({ ok: true }))()
  expect(json).not.toContain('QUJD')
  expect(JSON.parse(json)).toMatchObject({ request: { model: 'm' }, answer: { ok: true } })
})

it('a request of an endpoint that keeps but some of its fields is never kept as it came', () => {
  const identity = Buffer.from('{"model":"m","prompt":"p","image":"QUJD"}')
  const kept = historyRequestOf(identity, createVideo.parse(parseJsonObject(identity)), createVideo)
  expect(deferHistoryJson(kept, null)()).not.toContain('QUJD')
})

it('media in an answer are replaced too', () => {
  const message = {
    content: 'Here.',
    images: [{ type: 'image_url', image_url: { url: image } }],
    audio: { data: 'QUJD'.repeat(200) },
  }
  const json = deferHistoryJson('{"model":"m"}', () => ({ choices: [{ index: 0, message }] }))()
  expect(json).not.toContain('QUJD')
  expect(json).toContain('[image/png, 600 bytes, sha256 ')
  expect(JSON.parse(json)).toMatchObject({ answer: { choices: [{ message: { content: 'Here.' } }] } })
})

it('an image that a model made is replaced too, in an answer and where it comes back', () => {
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'QUJD'.repeat(200) }
  const body = Buffer.from(JSON.stringify({ model: 'm', input: [item] }))
  const kept = historyRequestOf(body, createResponse.parse(parseJsonObject(body)), createResponse)
  const json = deferHistoryJson(kept, () => ({ output: [item] }))()
  expect(json).not.toContain('QUJD')
  const note = { ...item, result: expect.stringMatching(/^\[image, 600 bytes, sha256 /) }
  expect(JSON.parse(json)).toEqual({ request: { model: 'm', input: [note] }, answer: { output: [note] } })
})

it('what was not answered is null', () => {
  expect(JSON.parse(deferHistoryJson('{"model":"m"}', null)())).toEqual({ request: { model: 'm' }, answer: null })
})

it('a body whose fields were refused is kept as it came, without its media', () => {
  const image = `data:image/png;base64,${'QUJD'.repeat(200)}`
  const body = { model: 'm', temperature: 9, messages: [{ content: [{ image_url: { url: image } }] }, 7] }
  expect(JSON.parse(deferHistoryJson(refusedBody(body), null)())).toEqual({
    request: { ...body, messages: [{ content: [{ image_url: { url: expect.stringMatching(/^\[image\/png, 600 bytes/) } }] }, 7] },
    answer: null,
  })
})

it('of a form that was refused, its texts are kept, and notes of its files', () => {
  const file = {
    filename: 'a.wav',
    type: 'audio/wav',
    bytes: 5,
    sha256: 'ab'.repeat(32),
    path: null,
    read: async function* () {},
  }
  const parts = [
    { name: 'model', value: 'm' },
    { name: 'image[]', file },
    { name: 'image', file },
    { name: '__proto__', value: 'x' },
  ]
  const note = `a.wav [audio/wav, 5 bytes, sha256 ${'ab'.repeat(16)}]`
  const json = deferHistoryJson(refusedForm({ parts }), null)()
  expect(json).toBe(`{"request":{"model":"m","image":["${note}","${note}"],"__proto__":"x"},"answer":null}`)
})
