import type { ModelList } from '#lib/contracts/catalog'
import type { CatalogFacts } from './catalog-ports.ts'
import type { ConsolePorts } from './ports.ts'

const factsOf = (facts: CatalogFacts): ModelList['rows'][number]['facts'] => ({
  sizes: [...(facts.sizes ?? [])],
  qualities: [...(facts.qualities ?? [])],
  voices: [...(facts.voices ?? [])],
  formats: [...(facts.formats ?? [])],
  durations: [...(facts.durations ?? [])],
  dimensions: facts.dimensions ?? null,
  images: facts.images ?? null,
})

/**
 * Every model that is for sale at this moment, with its price, for whoever looks. A model that no group has
 * cannot be called by anybody and is left out.
 */
export async function listModels({ ctx }: { ctx: Pick<ConsolePorts, 'catalog' | 'clock'> }): Promise<ModelList> {
  const [groups, models] = await Promise.all([ctx.catalog.groups(null), ctx.catalog.models(ctx.clock.now())])
  const sold = new Set(groups.flatMap((group) => group.models))
  const rows = models
    .filter(({ id }) => sold.has(id))
    .map(({ facts, createdAt, priceFrom, rates, ...model }) => ({
      ...model,
      facts: factsOf(facts),
      createdAt: createdAt.toISOString(),
      priceFrom: priceFrom.toISOString(),
      rates,
    }))
  return { rows, groups: groups.map((group) => ({ ...group })) }
}
