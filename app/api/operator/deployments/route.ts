import { operatorRoute } from '#app/api/console'
import { createDeploymentInput } from '#lib/contracts/operator'
import { createDeployment } from '#lib/services/operator/create-deployment'

export const POST = operatorRoute(createDeployment, { input: createDeploymentInput, status: 201 })
