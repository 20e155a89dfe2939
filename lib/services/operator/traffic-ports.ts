/** The interfaces that the traffic verbs need. */
import type { TrafficBy, TrafficSort } from '#lib/contracts/traffic'
import type { Count, Grain, Span } from '../../domain/traffic.ts'

/** A set of rows: the start times, for each span. */
export type Parts = readonly { span: Span; ats: readonly Date[] }[]

/**
 * The subjects of rows: one grain, with these ids or all. `keys` maps ids to the keys that they are added up under, if not to
 * themselves.
 */
export interface Source {
  grain: Grain
  ids: readonly string[] | null
  keys: ReadonlyMap<string, string> | null
}

/** The same source, narrowed to some of its groups. */
export function narrowSource(source: Source, groups: ReadonlySet<string>): Source {
  if (source.keys === null) return { ...source, ids: [...groups] }
  const keys = new Map([...source.keys].filter(([, key]) => groups.has(key)))
  return { ...source, ids: [...keys.keys()], keys }
}

export type Sums = Record<Count, number>
/** Counts by bucket, as lib/domain/histogram.ts reads them. */
export interface Histograms {
  first: Map<number, number>
  took: Map<number, number>
}

export interface TrafficDeployment {
  id: string
  modelId: string
  connectionId: string
  connectionName: string
  upstreamModel: string
}

export interface BreakerRecord {
  deploymentId: string
  heldAt: Date | null
  heldBy: string | null
  open: number
  halfOpen: number
  since: Date | null
  failure: string | null
  failureStatus: number | null
}

export interface TrafficReads {
  /** The start of the first day that is not added up yet; null if none was added up. */
  notRolledUpFrom(): Promise<Date | null>
  /** Sums by id, largest first in the order of `sort`. */
  sums(parts: Parts, source: Source, sort: TrafficSort, rows: number): Promise<{ id: string; sums: Sums }[]>
  /** Sums by row and id, without histograms. */
  timeSeries(parts: Parts, source: Source): Promise<{ at: Date; id: string; sums: Sums }[]>
  /** Histograms, by id. */
  histograms(parts: Parts, source: Source): Promise<Map<string, Histograms>>
  /** Histograms of one measured time, by the start of their row in milliseconds, for all ids together. */
  histogramSeries(parts: Parts, source: Source, time: 'first' | 'took'): Promise<Map<number, Map<number, number>>>
  deployments(filter: { ids?: readonly string[]; model?: string; connection?: string }): Promise<TrafficDeployment[]>
  names(by: TrafficBy, ids: readonly string[]): Promise<Map<string, string>>
  processes(): Promise<number>
  /** Breakers that are not closed and held deployments, for these deployments or for all. */
  breakers(deploymentIds: readonly string[] | null): Promise<BreakerRecord[]>
  /**
   * Ids for which more than this share failed, and at least twice, in minute rows since a time; worst first. Excludes what is
   * switched off or archived.
   */
  failing(grain: 'deployment' | 'model', since: Date, share: number, rows: number): Promise<{ id: string; sums: Sums }[]>
}
