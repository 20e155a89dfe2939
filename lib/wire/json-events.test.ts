import { expect, test } from 'vitest'
import { JsonEvents } from './json-events.ts'

const read = (text: string) => {
  const events = new JsonEvents()
  const came = events.push(Buffer.from(text))
  return { raw: came.map(({ raw }) => raw.toString()).join(''), values: came.map(({ value }) => value), broken: events.broken }
}
const DATA = '{"type":"a.delta","n":1}'

test.each([`data: ${DATA}\n\n`, `event: a.delta\ndata: ${DATA}\n\n`])('%j passes as it came', (text) => {
  expect(read(text).raw).toBe(text)
})

test.each([
  ['a comment', `: PROXY OF SOMEBODY\ndata: ${DATA}\n\n`, `data: ${DATA}\n\n`],
  ['an id', `id: secret\nevent: a.delta\ndata: ${DATA}\n\n`, `event: a.delta\ndata: ${DATA}\n\n`],
  ['a comment behind', `data: ${DATA}\n: PROXY\n\n`, `data: ${DATA}\n\n`],
  ['another type', `event: proxy\ndata: ${DATA}\n\n`, `event: a.delta\ndata: ${DATA}\n\n`],
  ['carriage returns', `event: a.delta\r\ndata: ${DATA}\r\n\r\n`, `event: a.delta\ndata: ${DATA}\n\n`],
  ['carriage returns alone', `event: a.delta\rdata: ${DATA}\r\r`, `event: a.delta\ndata: ${DATA}\n\n`],
  ['a line without a space', `data:${DATA}\n\n`, `data: ${DATA}\n\n`],
  ['lines without a space', `event:a.delta\ndata:${DATA}\n\n`, `event: a.delta\ndata: ${DATA}\n\n`],
  ['two lines of data', 'data: {"type":"a.delta",\ndata: "n":1}\n\n', `data: ${DATA}\n\n`],
  ["a vendor's name of its model", 'data: {"type":"a.delta","model":"upstream","n":1}\n\n', `data: ${DATA}\n\n`],
])('%s does not pass', (_, text, out) => {
  const came = read(text)
  expect(came.raw).toBe(out)
  expect(came.values).toEqual([{ type: 'a.delta', n: 1 }])
})

test('a type that would be lines of its own breaks the stream', () => {
  const { raw, broken } = read(`data: ${DATA}\n\ndata: {"type":"x\\ndata: {}\\n\\n.completed"}\n\n`)
  expect(raw).toBe(`data: ${DATA}\n\n`)
  expect(broken).toMatchObject({ mark: 'stream_broken' })
})
