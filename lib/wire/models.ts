import { z } from 'zod'
import type { CatalogModel } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import type { ReadEndpoint } from './endpoint.ts'
import type { JsonObject } from './json.ts'

const modelAnswer = z
  .object({
    id: z.string().describe('The value for the `model` parameter.'),
    object: z.literal('model'),
    created: z.number().int(),
    owned_by: z.string(),
  })
  .meta({ id: 'Model' })

/** Specification 2.1. */
const modelObject = (model: CatalogModel): JsonObject => ({
  id: model.id,
  object: 'model',
  created: Math.floor(model.createdAt.getTime() / 1000),
  owned_by: model.ownedBy,
})

/** The same refusal for a model that does not exist and for one that the key may not use. */
export function unknownModelRefusal(id: string): Refusal {
  return new Refusal(
    'unknown_model',
    `The model "${id.slice(0, 200)}" does not exist or this key's group does not include it. GET /v1/models lists what it can use.`,
    { param: 'model' },
  )
}

/** GET /v1/models. Specification 4.7. */
export const listModels: ReadEndpoint = {
  kind: 'read',
  name: 'models.list',
  method: 'GET',
  docs: {
    summary: 'List the models that the key can use',
    answers: {
      'application/json': z.object({ object: z.literal('list'), data: z.array(modelAnswer) }).meta({ id: 'ModelList' }),
    },
  },
  read: ({ offeredModels }) => ({ object: 'list', data: offeredModels().map(modelObject) }),
}

/** GET /v1/models/{model_id}; the id may contain slashes. Specification 4.8. */
export const retrieveModel: ReadEndpoint = {
  kind: 'read',
  name: 'models.retrieve',
  method: 'GET',
  docs: { summary: 'Retrieve a model', answers: { 'application/json': modelAnswer }, refusals: ['unknown_model'] },
  read: ({ findModel, params: { id = '' } }) => modelObject(findModel(id)),
}
