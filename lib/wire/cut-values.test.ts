import { expect, test } from 'vitest'
import { cutValues } from './cut-values.ts'

const cut = (text: string) => {
  const { rest, values } = cutValues(Buffer.from(text), 'long', (json) => (json.includes('\\') ? null : json.toString()))
  return { rest, values }
}

test('values are taken out, and their numbers stand in their places', () => {
  const { rest, values } = cut('{"long":"abc","data":[{"long" :\n[1, 2]},{"other":"long"}],"é":"ü","long":"d"}')
  expect(rest).toBe('{"long":0,"data":[{"long" :\n1},{"other":"long"}],"é":"ü","long":2}')
  expect(values).toEqual(['"abc"', '[1, 2]', '"d"'])
})

test.each([
  ['is left', '{"long":"a\\/b"}'],
  ['is a number', '{"long":12}'],
  ['is an object', '{"long":{"a":1}}'],
  ['is the end of a longer name', '{"so long":"a"}'],
  ['is no name', '["long","a"]'],
  ['is said in a text', '{"text":"\\"long\\":\\"a\\""}'],
  ['does not end', '{"long":"a'],
  ['is nothing', '{"long":'],
])('what %s stays: %s', (_, text) => {
  expect(cut(text)).toEqual({ rest: text, values: [] })
})

test('what is left does not keep others from being taken', () => {
  expect(cut('{"a":{"long":"x\\n\\"y"},"b":{"long":"z"}}')).toEqual({
    rest: '{"a":{"long":"x\\n\\"y"},"b":{"long":0}}',
    values: ['"z"'],
  })
})
