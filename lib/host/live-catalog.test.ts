import type pg from 'pg'
import type { Logger } from 'pino'
import { expect, it } from 'vitest'
import { createKeyring } from '../store/seal.ts'
import { openCatalog } from './live-catalog.ts'

it('is read again until that works: a change is not lost because the database was away', async () => {
  let [connections, models] = [0, 1]
  const client = {
    query: async (text: string) => ({
      rows: text.startsWith('SELECT * FROM model W')
        ? Array.from({ length: models }, (_, n) => ({ id: `m${n}`, capabilities: [] }))
        : [],
    }),
    on: () => undefined,
    off: () => undefined,
    release: () => undefined,
  }
  const pool = {
    ending: false,
    connect: async () => {
      connections++
      if (connections === 2) throw new Error('connect ECONNREFUSED')
      return client
    },
  } as unknown as pg.Pool
  const catalog = await openCatalog(pool, createKeyring([Buffer.alloc(32)]), { error() {} } as unknown as Logger)
  models = 2
  catalog.reload()
  await expect.poll(() => catalog.current().models.size, { timeout: 3000 }).toBe(2)
})
