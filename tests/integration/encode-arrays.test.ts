import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { encodeByteaArray, encodeTextArray, encodeUnquotedArray } from '#lib/store/encode-arrays'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase({ empty: true })
})
afterAll(() => database.drop())

const readBack = async (type: string, text: string): Promise<unknown> =>
  (await database.pool.query(`SELECT $1::${type}[] AS a`, [text])).rows[0].a

/** Text without NUL, which PostgreSQL does not store. */
const storable = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'))

test('texts come back as they went, whatever stands in them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.oneof(storable, fc.constantFrom('NULL', '', '{}', '"\\', ' a ', 'a,b', '\n'), fc.constant(null))),
      async (values) => {
        expect(await readBack('text', encodeTextArray(values))).toEqual(values)
      },
    ),
    { numRuns: 200 },
  )
})

test('bytes come back as they went', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array()), async (values) => {
      expect(await readBack('bytea', encodeByteaArray(values))).toEqual(values.map((value) => Buffer.from(value)))
    }),
    { numRuns: 100 },
  )
})

test('numbers, booleans and nulls come back as they went', async () => {
  expect(await readBack('bigint', encodeUnquotedArray([1n, -2n, 9_223_372_036_854_775_807n, null]))).toEqual([
    '1',
    '-2',
    '9223372036854775807',
    null,
  ])
  expect(await readBack('float8', encodeUnquotedArray([0.1, 1e-7, 1e21, null]))).toEqual([0.1, 1e-7, 1e21, null])
  expect(await readBack('boolean', encodeUnquotedArray([true, false, null]))).toEqual([true, false, null])
})
