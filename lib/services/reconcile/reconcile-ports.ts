/** The interfaces that reconciling needs. `ports.ts` has those of the account holder's verbs. */
import type { Measure } from './export-layouts.ts'

/** Our recorded usage of a UTC day and a model, under its vendor's name. Exact decimals. */
export interface OurUsage {
  /** `YYYY-MM-DD` */
  day: string
  model: string
  amounts: Record<Measure, bigint>
}

/** Our recorded usage of a connection. */
export interface VendorUsage {
  /** The id of a connection by its id or name, archived or not; null if there is none. */
  findConnectionId(named: string): Promise<string | null>
  /** Requests that its vendor served between two times (the end is exclusive), by UTC day and upstream model. */
  byDay(connectionId: string, from: Date, to: Date): Promise<OurUsage[]>
}
