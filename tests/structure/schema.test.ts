import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { openSchemaEngine } from '../support/schema-engine.ts'

let database: TestDatabase
let schema: string

beforeAll(async () => {
  database = await createDatabase()
  schema = await readFile('prisma/schema.prisma', 'utf8')
})

afterAll(() => database.drop())

/** The SQL that the migrations lack compared to what a schema describes. */
async function findMissingSql(content: string): Promise<string> {
  const engine = await openSchemaEngine(content, database.url)
  try {
    return await engine.diff()
  } finally {
    await engine.close()
  }
}

// Prisma knows no CHECKs, functions, row types, storage parameters and partitions, so those are not compared.
test('the migrations build what schema.prisma describes', async () => {
  expect(await findMissingSql(schema)).toBe('')
})

test.each([
  ['a column', 'more Int', 'ADD COLUMN     "more"'],
  ['an index', '@@index([modelId])', 'CREATE INDEX "usage_record_model_id_idx"'],
])('%s that only the schema has is seen, in a partitioned table too', async (_what, line, expected) => {
  const place = '@@map("usage_record")'
  expect(schema).toContain(place)
  expect(await findMissingSql(schema.replace(place, `${line}\n${place}`))).toContain(expected)
})
