import { operatorRoute } from '#app/api/console'
import { importInput } from '#lib/contracts/operator-import'
import { applyImport } from '#lib/services/operator/apply-import'

export const POST = operatorRoute(applyImport, { input: importInput })
