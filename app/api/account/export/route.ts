import { downloadRoute } from '#app/api/console'
import { exportAccount } from '#lib/services/account/export-account'

export const GET = downloadRoute(exportAccount)
