import { consoleRoute } from '#app/api/console'
import { secondStepInput } from '#lib/contracts/sign-in'
import { startSecondStep } from '#lib/services/account/start-second-step'

export const POST = consoleRoute(startSecondStep, { input: secondStepInput })
