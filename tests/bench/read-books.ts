import { buildAuditReport } from '#lib/ledger/audit'
import { readAudit } from '#lib/store/ledger/audit-store'
import { EMBED_TOKENS, secondsOf, UPLOAD_BYTES } from './media.ts'
import type { BenchWorld } from './world.ts'

/** What an answer of each endpoint costs, in nano-dollars. */
const CHARGES = {
  'chat.completions': 1_030_000,
  embeddings: EMBED_TOKENS * 20,
  'images.generations': 40_000_000,
  'audio.transcriptions': secondsOf(UPLOAD_BYTES) * 100_000,
}

/** Checks whether the books balance and all requests ended as expected, and counts those with the expected charge. */
export async function readBooks({
  pool,
  accountId,
}: BenchWorld): Promise<{ balanced: boolean; charged: number; lines: readonly string[] }> {
  const report = buildAuditReport(await readAudit(pool, 60_000))
  const { rows } = await pool.query<{ charged: number; short: number }>(
    `SELECT count(*) FILTER (WHERE outcome = 'finished' AND charged_nano = ($1::jsonb ->> endpoint)::bigint)::int AS charged,
            count(*) FILTER (WHERE outcome NOT IN ('finished', 'client_gone'))::int AS short
       FROM usage_record WHERE account_id = $2`,
    [JSON.stringify(CHARGES), accountId],
  )
  return {
    balanced: report.balanced && rows[0]?.short === 0,
    charged: rows[0]?.charged ?? 0,
    lines: report.balanced ? report.lines.slice(-1) : report.lines,
  }
}
