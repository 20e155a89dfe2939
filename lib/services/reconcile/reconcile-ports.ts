/** What reconciling needs from the world, as `ports.ts` has it for the account holder's verbs. */
import type { Measure } from './export-layouts.ts'

/** What our records say of a UTC day and a model, as its vendor calls it. Exact decimals. */
export interface OurUsage {
  /** `YYYY-MM-DD` */
  day: string
  model: string
  amounts: Record<Measure, bigint>
}

/** What our records say was used at a connection's vendor. */
export interface VendorUsage {
  /** The id of a connection by its id or name, archived or not; null where there is none. */
  connection(named: string): Promise<string | null>
  /** Requests that its vendor served from a time to another (exclusive), by UTC day and upstream model. */
  byDay(connectionId: string, from: Date, to: Date): Promise<OurUsage[]>
}
