import { buildAuditReport } from '../ledger/audit.ts'
import { readAudit } from '../store/ledger/audit-store.ts'
import { commandWithoutArguments } from './command.ts'
import { withDatabase } from './database.ts'

const command = commandWithoutArguments(
  'Usage: npm run audit     checks the books of every account; exits with 1 if they do not balance',
)

await withDatabase(command, async ({ pool, env }) => {
  const report = buildAuditReport(await readAudit(pool, env.LEASE_LIFE_MS * 2))
  process.stdout.write(`${report.lines.join('\n')}\n`)
  return report.balanced ? 0 : 1
})
