import { auditReport } from '../ledger/audit.ts'
import { readAudit } from '../store/audit-store.ts'
import { withDatabase } from './database.ts'

await withDatabase(async (pool, env) => {
  const report = auditReport(await readAudit(pool, env.LEASE_LIFE_MS * 2))
  process.stdout.write(`${report.lines.join('\n')}\n`)
  return report.balanced ? 0 : 1
})
