import { expect, test } from 'vitest'
import { extractValues } from './extract-values.ts'

/** What is left, with the numbers of the values that were taken out in angle brackets. */
function cut(text: string, opens: ('"' | '[')[] = ['"', '[']) {
  const parse = (json: Buffer) => (json.includes('\\') ? null : json.toString())
  const { rest, values, of } = extractValues(Buffer.from(text), { name: 'long', opens, parse })
  const shown = rest.replace(/"([\da-f-]{36}:(\d+))"/g, (_, stamp: string, number: string) => {
    expect(of(stamp)).toBe(values[Number(number)])
    return `<${number}>`
  })
  return { rest: shown, values }
}

test('values are taken out, and what stands in their places tells them', () => {
  const { rest, values } = cut('{"long":"abc","data":[{"long" :\n[1, 2]},{"other":"long"}],"é":"ü","long":"d"}')
  expect(rest).toBe('{"long":<0>,"data":[{"long" :\n<1>},{"other":"long"}],"é":"ü","long":<2>}')
  expect(values).toEqual(['"abc"', '[1, 2]', '"d"'])
})

test('nothing that a vendor writes stands for a value', () => {
  const { of } = extractValues(Buffer.from('{"long":"abc"}'), { name: 'long', opens: ['"'], parse: (json) => json.length })
  for (const written of [0, '0', ':0', `${'0'.repeat(36)}:0`, null, undefined, {}]) expect(of(written)).toBeUndefined()
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

test('what begins otherwise stays', () => {
  expect(cut('{"long":[1],"a":{"long":"b"}}', ['"'])).toEqual({ rest: '{"long":[1],"a":{"long":<0>}}', values: ['"b"'] })
})

test('what is left does not keep others from being taken', () => {
  expect(cut('{"a":{"long":"x\\n\\"y"},"b":{"long":"z"}}')).toEqual({
    rest: '{"a":{"long":"x\\n\\"y"},"b":{"long":<0>}}',
    values: ['"z"'],
  })
})

test('what follows a value is seen', () => {
  expect(() =>
    JSON.parse(extractValues(Buffer.from('{"long":"a".0}'), { name: 'long', opens: ['"'], parse: String }).rest),
  ).toThrow()
})

test('the end of what is not wanted is not looked for, however often it begins', () => {
  const lists = '{"long":['.repeat(200_000)
  // Searching to the end each time took seconds for a tenth of this.
  expect(cut(lists, ['"']).rest).toBe(lists)
})
