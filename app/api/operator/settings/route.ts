import { operatorRoute } from '#app/api/console'
import { changeSettingsInput } from '#lib/contracts/settings'
import { changeSettings } from '#lib/services/operator/change-settings'
import { listSettings } from '#lib/services/operator/list-settings'

export const GET = operatorRoute(listSettings)
export const PATCH = operatorRoute(changeSettings, { input: changeSettingsInput })
