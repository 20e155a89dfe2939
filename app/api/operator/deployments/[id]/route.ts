import { operatorRoute } from '#app/api/console'
import { archiveInput, updateDeploymentInput } from '#lib/contracts/operator'
import { archiveDeployment } from '#lib/services/operator/archive'
import { updateDeployment } from '#lib/services/operator/update-deployment'

export const PATCH = operatorRoute(updateDeployment, { input: updateDeploymentInput })
export const DELETE = operatorRoute(archiveDeployment, { input: archiveInput })
