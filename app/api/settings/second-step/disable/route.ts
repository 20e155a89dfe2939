import { consoleRoute } from '#app/api/console'
import { proofInput } from '#lib/contracts/sign-in'
import { endSecondStep } from '#lib/services/account/end-second-step'

export const POST = consoleRoute(endSecondStep, { input: proofInput })
