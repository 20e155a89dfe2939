import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { startGateway } from '../support/gateway.ts'
import { RawConnection } from '../support/raw-client.ts'

test('a process that is asked to stop does not wait for connections on which nothing was ever asked', async () => {
  await using database = await createDatabase()
  const gateway = await startGateway({ databaseUrl: database.url })
  // As balancers and pools of clients keep them ready.
  const silent = await Promise.all([1, 2, 3].map(() => RawConnection.open(gateway.url)))
  await sleep(100)
  const started = performance.now()
  const code = await gateway.stop()
  expect({ code, quick: performance.now() - started < 5000 }).toEqual({ code: 0, quick: true })
  for (const connection of silent) connection.destroy()
})
