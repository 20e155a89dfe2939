import { bareName, type Catalog, type CatalogModel, isOffered } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import { unknownModelRefusal } from '../wire/models.ts'
import type { Authenticated } from './authenticate.ts'

/** Whether a key may use a model: its group has it, and its own list allows it. */
function mayUse(from: Authenticated, modelId: string): boolean {
  return from.group.models.has(modelId) && (from.caller.modelAllow === null || from.caller.modelAllow.has(modelId))
}

/**
 * The model that a request names: by its id or, because clients know vendors' models by their own names and treat them
 * accordingly, by its id without what stands before the first slash. Of several models with that name, those that are for sale
 * come first. Throws the 404 for a model that the key may not use, and for a name that means several.
 */
export function findModel(from: Authenticated, name: string): CatalogModel {
  const known = mayUse(from, name) ? from.catalog.models.get(name) : undefined
  if (known) return known
  const named = (modelsByBareName(from.catalog).get(name) ?? []).filter(({ id }) => mayUse(from, id))
  const offered = named.filter((model) => isOffered(model, from.at))
  const [model, ...others] = offered.length > 0 ? offered : named
  if (!model) throw unknownModelRefusal(name)
  if (others.length === 0) return model
  const ids = [model, ...others].map(({ id }) => `"${id}"`).join(' or ')
  throw new Refusal('unknown_model', `The name "${name}" means several models. Use ${ids}.`, { param: 'model' })
}

/** The same for lookups, which show only what is for sale. */
export function findOfferedModel(from: Authenticated, name: string): CatalogModel {
  const model = findModel(from, name)
  if (!isOffered(model, from.at)) throw unknownModelRefusal(name)
  return model
}

/** The models that are for sale and that a key may use. */
export const listOfferedModels = (from: Authenticated): CatalogModel[] =>
  [...from.catalog.models.values()].filter((model) => mayUse(from, model.id) && isOffered(model, from.at))

const bareNames = new WeakMap<Catalog, ReadonlyMap<string, readonly CatalogModel[]>>()

/** A catalog's models by what follows the first slash of their ids. */
function modelsByBareName(catalog: Catalog): ReadonlyMap<string, readonly CatalogModel[]> {
  const known = bareNames.get(catalog)
  if (known) return known
  const models = Map.groupBy(catalog.models.values(), ({ id }) => bareName(id))
  bareNames.set(catalog, models)
  return models
}
