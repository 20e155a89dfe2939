import { downloadRoute } from '#app/api/console'
import { exportAccount } from '#lib/services/export-account'

export const GET = downloadRoute(exportAccount)
