import { operatorRoute } from '#app/api/console'
import { alertRuleInput } from '#lib/contracts/operator-alerts'
import { addAlertRule } from '#lib/services/operator/alert-rules'
import { listAlertRules } from '#lib/services/operator/list-alert-rules'

export const GET = operatorRoute(listAlertRules)
export const POST = operatorRoute(addAlertRule, { input: alertRuleInput, status: 201 })
