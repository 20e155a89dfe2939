import { PrismaPg } from '@prisma/adapter-pg'
import type { Pool } from 'pg'
import { PrismaClient } from './generated/client.ts'

export type Prisma = PrismaClient

/**
 * The generated client over a pool that it shares with plain SQL. The creator of the pool ends it; `$disconnect` leaves it
 * open.
 */
export function createPrisma(pool: Pool): Prisma {
  return new PrismaClient({
    adapter: new PrismaPg(pool, { disposeExternalPool: false }),
    // Longer messages quote the call's arguments, including password hashes.
    errorFormat: 'minimal',
  })
}
