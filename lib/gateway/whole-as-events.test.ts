import { expect, test } from 'vitest'
import type { AnswerBytes } from '../vendors/vendor.ts'
import { wholeAsEvents } from './whole-as-events.ts'

/** A body that arrives in these pieces, and what is done to it. */
function bodyOf(...pieces: string[]) {
  const done: string[] = []
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for (const piece of pieces) yield Buffer.from(piece)
    } finally {
      done.push('closed')
    }
  }
  const body: AnswerBytes = { [Symbol.asyncIterator]: read, gather: () => void done.push('gathered') }
  return { body, done }
}

const asEvents = (bytes: Buffer) => Buffer.from(`<${bytes}>`)

async function read(body: AsyncIterable<Uint8Array>): Promise<string[]> {
  const texts: string[] = []
  for await (const piece of body) texts.push(Buffer.from(piece).toString())
  return texts
}

test.each([
  ['events', ['data: {', '}\n\n', 'data: [DONE]\n\n'], ['data: {', '}\n\n', 'data: [DONE]\n\n']],
  ['events after blanks', ['\ufeff', '\n\n', ': x\n', '{'], ['\ufeff', '\n\n', ': x\n', '{']],
  ['nothing', [], []],
  ['blanks', ['\n', ' '], ['\n', ' ']],
  ['a whole answer', ['{"a"', ':1}'], ['<{"a":1}>']],
  ['a whole answer after blanks', ['\n', ' {"a"', ':1}', '\n'], ['\n', '< {"a":1}\n>']],
  ['a whole answer after a byte order mark', ['\ufeff{}'], ['<\ufeff{}>']],
])('%s', async (_, pieces, out) => {
  const { body, done } = bodyOf(...pieces)
  expect(await read(wholeAsEvents(body, asEvents))).toEqual(out)
  expect(done).toEqual(['closed'])
})

test('who stops reading closes the body, and gathering is passed on', async () => {
  const { body, done } = bodyOf('data: 1\n\n', 'data: 2\n\n')
  const events = wholeAsEvents(body, asEvents)
  for await (const _ of events) {
    events.gather?.()
    break
  }
  expect(done).toEqual(['gathered', 'closed'])
})

test('what cannot be converted breaks the stream', async () => {
  const { body, done } = bodyOf('{}')
  const failing = wholeAsEvents(body, () => {
    throw new Error('no answer')
  })
  await expect(read(failing)).rejects.toThrow('no answer')
  expect(done).toEqual(['closed'])
})
