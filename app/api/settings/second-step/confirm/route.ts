import { consoleRoute } from '#app/api/console'
import { codeInput } from '#lib/contracts/sign-in'
import { confirmSecondStep } from '#lib/services/account/confirm-second-step'

export const POST = consoleRoute(confirmSecondStep, { input: codeInput })
