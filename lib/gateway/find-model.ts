import { bareName, type Catalog, type CatalogModel } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import { unknownModelRefusal } from '../wire/models.ts'
import type { Authenticated } from './authenticate.ts'

/** Whether a key may use a model: its group has it, and its own list allows it. */
export function mayUse(from: Authenticated, modelId: string): boolean {
  return from.group.models.has(modelId) && (from.caller.modelAllow === null || from.caller.modelAllow.has(modelId))
}

/**
 * The model that a request names: by its id or, because clients know vendors' models by their own names and treat them
 * accordingly, by its id without what stands before the first slash. Throws the 404 for a model that the key may not use, and for
 * a name that means several.
 */
export function findModel(from: Authenticated, name: string): CatalogModel {
  const known = mayUse(from, name) ? from.catalog.models.get(name) : undefined
  if (known) return known
  const [found, ...others] = (idsByBareName(from.catalog).get(name) ?? []).filter((id) => mayUse(from, id))
  const model = found === undefined ? undefined : from.catalog.models.get(found)
  if (!model) throw unknownModelRefusal(name)
  if (others.length === 0) return model
  const names = [model.id, ...others].map((id) => `"${id}"`).join(' or ')
  throw new Refusal('unknown_model', `The name "${name}" means several models. Use ${names}.`, { param: 'model' })
}

const bareNames = new WeakMap<Catalog, ReadonlyMap<string, readonly string[]>>()

/** The ids of a catalog's models by what follows their first slash. */
function idsByBareName(catalog: Catalog): ReadonlyMap<string, readonly string[]> {
  const known = bareNames.get(catalog)
  if (known) return known
  const ids = Map.groupBy(catalog.models.keys(), bareName)
  bareNames.set(catalog, ids)
  return ids
}
