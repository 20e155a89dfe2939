import { downloadRoute } from '#app/api/console'
import { usageExportQuery } from '#lib/contracts/usage'
import { exportUsage } from '#lib/services/usage/export-usage'

export const GET = downloadRoute(exportUsage, { input: usageExportQuery })
