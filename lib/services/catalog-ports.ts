/** What verbs need to know of what is for sale. */

export interface GroupRecord {
  id: string
  name: string
  description: string
  multiplierBp: number
  isDefault: boolean
  /** Ids of the models in it that are switched on, in order. */
  models: string[]
}

/** What a catalog entry says of a model of other media, as far as people who choose one want to know it. */
export interface CatalogFacts {
  sizes?: readonly string[]
  qualities?: readonly string[]
  voices?: readonly string[]
  formats?: readonly string[]
  durations?: readonly number[]
  dimensions?: number
  images?: number
}

export interface ModelRecord {
  id: string
  ownedBy: string
  modality: string
  contextWindow: number
  maxOutput: number
  capabilities: string[]
  facts: CatalogFacts
  createdAt: Date
  priceFrom: Date
  /** Whole nano-dollars per million units, by unit, as decimal strings. */
  rates: Record<string, string>
}

export interface Catalog {
  /** The groups that an account's keys may be bound to, the default one first; null is somebody without an account. */
  groups(accountId: string | null): Promise<GroupRecord[]>
  /** The models that are switched on and have a price at a time, in the order of their ids. */
  models(at: Date): Promise<ModelRecord[]>
  /** True while no deployment in use runs on a vendor other than the sandbox. */
  sandboxOnly(): Promise<boolean>
}
