import { consoleRoute } from '#app/api/console'
import { recordedFiguresInput } from '#lib/contracts/playground'
import { getRecordedFigures } from '#lib/services/playground/get-recorded-figures'

export const GET = consoleRoute(getRecordedFigures, { input: recordedFiguresInput })
