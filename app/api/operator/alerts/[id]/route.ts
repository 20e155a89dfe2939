import { operatorRoute } from '#app/api/console'
import { archiveInput } from '#lib/contracts/operator'
import { changeAlertRuleInput } from '#lib/contracts/operator-alerts'
import { archiveAlertRule, changeAlertRule } from '#lib/services/operator/alert-rules'

export const PATCH = operatorRoute(changeAlertRule, { input: changeAlertRuleInput })
export const DELETE = operatorRoute(archiveAlertRule, { input: archiveInput })
