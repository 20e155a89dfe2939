import type { Pool } from 'pg'
import type { Accounts, Catalog, Keys, Purses, Requests, UsageSums, Users } from '../services/ports.ts'
import { createAccounts } from './console-accounts.ts'
import { createCatalog } from './console-catalog.ts'
import { createKeys } from './console-keys.ts'
import { createPurses } from './console-purses.ts'
import { createRequests } from './console-requests.ts'
import { createUsageSums } from './console-usage.ts'
import { createUsers } from './console-users.ts'
import type { PrismaClient } from './generated/client.ts'

export interface ConsoleStore {
  users: Users
  accounts: Accounts
  purses: Purses
  catalog: Catalog
  keys: Keys
  usage: UsageSums
  requests: Requests
  /** Rejects while the database does not answer. */
  ping(): Promise<void>
}

export interface ConsoleStoreParts {
  pool: Pool
  prisma: PrismaClient
  /** Hears of a stored history that cannot be read. */
  onDamagedHistory?: (requestId: string, error: unknown) => void
}

/** Everything that the console's verbs keep in the database, over one shared pool. */
export function createConsoleStore({ pool, prisma, onDamagedHistory = () => {} }: ConsoleStoreParts): ConsoleStore {
  return {
    users: createUsers(prisma),
    accounts: createAccounts(prisma),
    purses: createPurses(pool),
    catalog: createCatalog(prisma),
    keys: createKeys(pool, prisma),
    usage: createUsageSums(pool),
    requests: createRequests(pool, prisma, onDamagedHistory),
    async ping() {
      await pool.query('select 1')
    },
  }
}
