import { operatorRoute } from '#app/api/console'
import { operatorIdInput } from '#lib/contracts/operator'
import { previewImport } from '#lib/services/operator/preview-import'

export const POST = operatorRoute(previewImport, { input: operatorIdInput })
