import { operatorRoute } from '#app/api/console'
import { auditQuery } from '#lib/contracts/operator-groups'
import { listAudit } from '#lib/services/operator/list-audit'

export const GET = operatorRoute(listAudit, { input: auditQuery })
