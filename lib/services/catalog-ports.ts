import type { ModelSize } from '../domain/catalog.ts'

/** What verbs need to know about the models for sale. */

export interface GroupRecord {
  id: string
  name: string
  description: string
  multiplierBp: number
  isDefault: boolean
  /** Ids of the enabled models in the group, in order. */
  models: string[]
}

/** The facts about a model of other media that help people choose one, from its catalog entry. */
export interface CatalogFacts {
  assumed?: readonly ModelSize[]
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
  /** The kinds of the vendors that run it. */
  kinds: string[]
  /** Whole nano-dollars per million units, by unit, as decimal strings. */
  rates: Record<string, string>
}

/** A model of a group for examples, and as the first choice for its modality. */
export interface GroupExample {
  groupId: string
  modality: string
  modelId: string
}

export interface Catalog {
  /** The groups that an account's keys may be bound to, the default group first. Null is a visitor without an account. */
  groups(accountId: string | null): Promise<GroupRecord[]>
  /**
   * For each group and modality, the model that most probably answers a first call: one whose vendors do not fail now, from a
   * real vendor rather than the sandbox, that has answered in the last day, or at least one whose sizes are known.
   */
  examples(at: Date): Promise<GroupExample[]>
  /** The models that are enabled and have a price at the given time, ordered by id. */
  models(at: Date): Promise<ModelRecord[]>
  /** True while every deployment in use runs on the sandbox vendor. */
  sandboxOnly(): Promise<boolean>
}
