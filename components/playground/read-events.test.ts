import { describe, expect, it } from 'vitest'
import { NO_FIGURES, tokensPerSecond } from './figures.ts'
import { readEvents } from './read-events.ts'
import { NO_GENERATED_IMAGES, readImages, withImageEvent } from './read-images.ts'

/** A response whose bytes arrive in pieces of this size, wherever that splits the text. */
function answered(text: string, size: number): Response {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'x-request-id': 'req_1' } })
}

async function allOf(response: Response): Promise<unknown[]> {
  const events: unknown[] = []
  for await (const event of readEvents(response)) events.push(event)
  return events
}

describe('readEvents', () => {
  it.each([1, 3, 7, 4096])('reads events out of pieces of %i bytes, up to [DONE]', async (size) => {
    const text = ': hello\n\ndata: {"a":"ü"}\r\n\r\nevent: x\ndata: {"b":\ndata: 2}\n\ndata: [DONE]\n\ndata: {"c":3}\n\n'
    expect(await allOf(answered(text, size))).toEqual([{ a: 'ü' }, { b: 2 }])
  })
  it('throws what an error event says, after what came before it', async () => {
    const events: unknown[] = []
    const text =
      'data: {"a":1}\n\ndata: {"error":{"message":"Broke off.","type":"server_error","param":null,"code":"server_error"}}\n\n'
    const reading = (async () => {
      for await (const event of readEvents(answered(text, 9))) events.push(event)
    })()
    await expect(reading).rejects.toMatchObject({ failure: { code: 'server_error', message: 'Broke off.', requestId: 'req_1' } })
    expect(events).toEqual([{ a: 1 }])
  })
  it('throws at an end without [DONE] where there should be one', async () => {
    const events: unknown[] = []
    const reading = (async () => {
      for await (const event of readEvents(answered('data: {"a":1}\n\ndata: {"b', 9), { marked: true })) events.push(event)
    })()
    await expect(reading).rejects.toMatchObject({ failure: { code: 'unexpected_answer', requestId: 'req_1' } })
    expect(events).toEqual([{ a: 1 }])
    expect(await allOf(answered('data: {"a":1}\n\n', 9))).toEqual([{ a: 1 }])
  })
  it('throws for what is no JSON', async () => {
    await expect(allOf(answered('data: oops\n\n', 64))).rejects.toMatchObject({ failure: { code: 'unexpected_answer' } })
  })
})

describe('tokensPerSecond', () => {
  it.each([
    [{ outputTokens: 100, firstMs: 500, totalMs: 2500 }, 50],
    [{ outputTokens: 5100, hiddenTokens: 5000, firstMs: 40_000, totalMs: 41_000 }, 100],
    [{ outputTokens: 100, hiddenTokens: 99, firstMs: 500, totalMs: 2500 }, null],
    [{ outputTokens: 1, firstMs: 500, totalMs: 2500 }, null],
    [{ outputTokens: 100, firstMs: 500, totalMs: 500 }, null],
    [{ outputTokens: null, firstMs: 500, totalMs: 2500 }, null],
  ])('%j is %s', (figures, rate) => {
    expect(tokensPerSecond({ ...NO_FIGURES, ...figures })).toBe(rate)
  })
})

describe('images', () => {
  it('come as looks ahead and as finished ones', () => {
    const events = [
      { type: 'image_generation.partial_image', b64_json: 'iVBORpart' },
      { type: 'image_generation.completed', b64_json: '/9j/done' },
      { type: 'image_edit.partial_image', b64_json: 'UklGRnext' },
    ]
    const steps = events.map((_, at) => events.slice(0, at + 1).reduce(withImageEvent, NO_GENERATED_IMAGES))
    expect(steps).toEqual([
      { done: [], partial: 'data:image/png;base64,iVBORpart' },
      { done: ['data:image/jpeg;base64,/9j/done'], partial: null },
      { done: ['data:image/jpeg;base64,/9j/done'], partial: 'data:image/webp;base64,UklGRnext' },
    ])
  })
  it('come whole', () => {
    expect(readImages({ data: [{ b64_json: 'iVBORa' }, { url: 'x' }] }).done).toEqual(['data:image/png;base64,iVBORa'])
  })
})
