import { operatorRoute } from '#app/api/console'
import { archiveInput, createModelInput, operatorQuery, updateModelInput } from '#lib/contracts/operator'
import { archiveModel } from '#lib/services/operator/archive'
import { createModel } from '#lib/services/operator/create-model'
import { listOperatorModels } from '#lib/services/operator/list-operator-models'
import { updateModel } from '#lib/services/operator/update-model'

export const GET = operatorRoute(listOperatorModels, { input: operatorQuery })
export const POST = operatorRoute(createModel, { input: createModelInput, status: 201 })
export const PATCH = operatorRoute(updateModel, { input: updateModelInput })
export const DELETE = operatorRoute(archiveModel, { input: archiveInput })
