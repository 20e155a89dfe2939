import type { ModelList } from '#lib/contracts/catalog'
import { vendorKind } from '../domain/vendor-kind-list.ts'
import type { CatalogFacts, ModelRecord } from './catalog-ports.ts'
import { groupsWithExamples } from './groups-with-examples.ts'
import type { ConsolePorts, SignedInUser } from './ports.ts'

/** The reader, if known. */
type ListModelsContext = Pick<ConsolePorts, 'catalog' | 'clock'> & { user: Pick<SignedInUser, 'accountId'> | null }

const factsOf = (facts: CatalogFacts): ModelList['rows'][number]['facts'] => ({
  ...(facts.assumed === undefined ? {} : { assumed: [...facts.assumed] }),
  sizes: [...(facts.sizes ?? [])],
  qualities: [...(facts.qualities ?? [])],
  voices: [...(facts.voices ?? [])],
  formats: [...(facts.formats ?? [])],
  durations: [...(facts.durations ?? [])],
  dimensions: facts.dimensions ?? null,
  images: facts.images ?? null,
})

/** A chat is refused if the vendor that it reaches cannot search, so every one has to. */
const searchesTheWeb = ({ rates, kinds }: ModelRecord): boolean =>
  rates.web_search !== undefined && kinds.every((kind) => vendorKind(kind)?.searches)

/**
 * Lists every model that is for sale now, with its price. Visitors see what is open to everybody; a signed-in user also sees the
 * models of groups that are for their account. A model that is in none of these groups cannot be called by the reader and is left
 * out.
 */
export async function listModels({ ctx }: { ctx: ListModelsContext }): Promise<ModelList> {
  const accountId = ctx.user?.accountId ?? null
  const [groups, models] = await Promise.all([groupsWithExamples(ctx, accountId), ctx.catalog.models(ctx.clock.now())])
  const offeredIds = new Set(groups.flatMap((group) => group.models))
  const rows = models
    .filter(({ id }) => offeredIds.has(id))
    .map((model) => {
      const { kinds: _, facts, createdAt, priceFrom, rates, ...shown } = model
      return {
        ...shown,
        searches: searchesTheWeb(model),
        facts: factsOf(facts),
        createdAt: createdAt.toISOString(),
        priceFrom: priceFrom.toISOString(),
        rates,
      }
    })
  return { rows, groups }
}
