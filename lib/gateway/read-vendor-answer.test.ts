import { expect, it, vi } from 'vitest'
import { chatCompletions } from '../wire/chat.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { OpenCall } from './call.ts'
import { openTap } from './read-vendor-answer.ts'

it.each([
  ['text/event-stream', 1],
  ['text/event-stream; charset=utf-8', 1],
  ['audio/mpeg', 0],
  [undefined, 0],
])('only events are gathered: an answer of type %s', (type, times) => {
  const gather = vi.fn()
  async function* nothing(): AsyncGenerator<Uint8Array> {}
  const openCall = {
    answer: {
      k: 'wire',
      headers: type === undefined ? {} : { 'content-type': type },
      body: Object.assign(nothing(), { gather }),
    },
    admitted: { request: { model: { id: 'm' }, from: { received: { id: 'req_1', at: new Date(0) } } } },
    form: { createTap: () => ({}) },
  } as unknown as OpenCall<unknown, unknown>
  openTap(openCall, chatCompletions as unknown as PaidEndpoint<unknown, unknown>).gather()
  expect(gather).toHaveBeenCalledTimes(times)
})
