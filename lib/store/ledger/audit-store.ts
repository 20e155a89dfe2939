import type pg from 'pg'
import type { AuditCheck, AuditSums } from '../../ledger/audit.ts'
import { inSnapshot } from '../transaction.ts'

/** An error that is everywhere is in every row, so this many rows are enough. */
const MAX_ROWS = 100

const SUMS = `
  SELECT (SELECT count(*) FROM purse WHERE kind = 'account') AS accounts,
         (SELECT COALESCE(sum(amount_nano), 0) FROM entry WHERE kind <> 'reversal' AND amount_nano > 0) AS credits,
         (SELECT COALESCE(sum(amount_nano), 0) FROM entry WHERE kind = 'reversal') AS reversals,
         (SELECT COALESCE(-sum(amount_nano), 0) FROM entry WHERE amount_nano < 0) AS deductions,
         (SELECT COALESCE(sum(charged_nano), 0) FROM usage_record) AS charges,
         (SELECT count(*) FROM usage_record) AS requests,
         (SELECT COALESCE(sum(shortfall_nano), 0) FROM usage_record) AS shortfall,
         (SELECT COALESCE(sum(credit - spent), 0) FROM purse WHERE kind = 'account') AS balance,
         (SELECT COALESCE(sum(leased), 0) FROM purse WHERE kind = 'account') AS leased,
         (SELECT COALESCE(sum(owed), 0) FROM purse WHERE kind = 'account') AS owed`

/** The figures of a record, and those that rollups add up from them. */
const UNITS = ['input_units', 'cached_units', 'output_units', 'charged_nano', 'shortfall_nano', 'vendor_cost_nano']
const FIGURES = ['requests', 'errors', ...UNITS]
const sumsOf = (columns: readonly string[]): string => columns.map((column) => `sum(${column}) AS ${column}`).join(', ')
const [SUMS_OF_RECORDS, SUMS_OF_HOURS] = [sumsOf(UNITS), sumsOf(FIGURES)]
/** For two joined rows `r` and `b`: a row for each figure that differs. */
const DIFFERING = `
  CROSS JOIN LATERAL (VALUES ${FIGURES.map((figure) => `('${figure}', COALESCE(r.${figure}, 0), COALESCE(b.${figure}, 0))`).join(', ')})
    AS f (name, expected, found)
 WHERE f.expected <> f.found`

const WALLETS = "(SELECT * FROM purse WHERE kind = 'account')"

/** Each check finds rows where two ways to the same figure differ. `expected` comes from the records, `found` from the books. */
const CHECKS: { name: string; sql: string }[] = [
  {
    name: 'credit of an account = its entries',
    sql: `SELECT COALESCE(p.id, e.account_id) AS id, COALESCE(e.sum, 0) AS expected, COALESCE(p.credit, 0) AS found FROM ${WALLETS} p
            FULL JOIN (SELECT account_id, sum(amount_nano + owed_nano) AS sum FROM entry GROUP BY 1) e ON e.account_id = p.id
           WHERE COALESCE(p.credit, 0) <> COALESCE(e.sum, 0)`,
  },
  {
    name: 'debt of an account = its entries',
    sql: `SELECT COALESCE(p.id, e.account_id) AS id, COALESCE(e.sum, 0) AS expected, COALESCE(p.owed, 0) AS found FROM ${WALLETS} p
            FULL JOIN (SELECT account_id, sum(owed_nano) AS sum FROM entry GROUP BY 1) e ON e.account_id = p.id
           WHERE COALESCE(p.owed, 0) <> COALESCE(e.sum, 0)`,
  },
  {
    name: 'credit of a payment = what was paid',
    sql: `SELECT id, COALESCE(p.amount_nano, 0) AS expected, COALESCE(e.sum, 0) AS found
            FROM (SELECT id, account_id, amount_nano FROM payment WHERE state = 'paid') p
            FULL JOIN (SELECT COALESCE(payment_id, id) AS id, account_id, sum(amount_nano) AS sum FROM entry
                        WHERE kind = 'top_up' GROUP BY 1, 2) e USING (id, account_id)
           WHERE COALESCE(p.amount_nano, 0) <> COALESCE(e.sum, 0)`,
  },
  {
    name: 'state of a payment = what Stripe said',
    sql: `SELECT id, 'no event' AS expected, state AS found FROM payment p
           WHERE state = 'paid' AND NOT EXISTS (SELECT FROM stripe_event s WHERE s.payment_id = p.id AND s.type IN
                 ('checkout.session.completed', 'checkout.session.async_payment_succeeded', 'payment_intent.succeeded'))`,
  },
  {
    name: 'taken for a refund or dispute <= what its payment paid',
    sql: `SELECT e.id, COALESCE(p.amount_nano, 0) AS expected, -e.amount_nano AS found
            FROM entry e LEFT JOIN payment p
              ON p.id = e.payment_id AND p.account_id = e.account_id AND p.state = 'paid' AND EXISTS (
                 SELECT FROM stripe_event s WHERE s.payment_id = p.id
                    AND s.type LIKE CASE e.kind WHEN 'dispute' THEN 'charge.dispute.%' ELSE '%refund%' END)
           WHERE e.kind IN ('refund', 'dispute') AND -e.amount_nano > COALESCE(p.amount_nano, 0)`,
  },
  {
    name: 'credit of a code = what it is worth',
    sql: `SELECT COALESCE(c.id, e.id) AS id, COALESCE(c.amount_nano, 0) AS expected, COALESCE(e.amount_nano, 0) AS found
            FROM (SELECT 'ent_' || id AS id, redeemed_by AS account_id, amount_nano FROM redemption_code WHERE redeemed_by IS NOT NULL) c
            FULL JOIN (SELECT id, account_id, amount_nano FROM entry WHERE kind = 'code') e USING (id, account_id)
           WHERE COALESCE(c.amount_nano, 0) <> COALESCE(e.amount_nano, 0)`,
  },
  {
    name: 'given back for a refund or dispute = what it took',
    sql: `SELECT b.id, COALESCE(-t.amount_nano, 0) AS expected, b.amount_nano AS found
            FROM entry b LEFT JOIN entry t
              ON b.id = t.id || '_back' AND t.kind = b.kind AND t.account_id = b.account_id AND t.amount_nano < 0
           WHERE b.kind IN ('refund', 'dispute') AND b.amount_nano > 0 AND b.amount_nano <> COALESCE(-t.amount_nano, 0)`,
  },
  {
    name: 'reversal of a request = its charge',
    sql: `SELECT e.id, COALESCE(u.charged_nano, 0) AS expected, e.amount_nano AS found
            FROM entry e LEFT JOIN usage_record u
              ON u.id = substr(e.id, 5) AND left(e.id, 4) = 'rev_' AND u.account_id = e.account_id
           WHERE e.kind = 'reversal' AND e.amount_nano <> COALESCE(u.charged_nano, 0)`,
  },
  {
    name: 'spent by an account = its charges',
    sql: `SELECT COALESCE(p.id, u.account_id) AS id, COALESCE(u.sum, 0) AS expected, COALESCE(p.spent, 0) AS found FROM ${WALLETS} p
            FULL JOIN (SELECT account_id, sum(charged_nano) AS sum FROM usage_record GROUP BY 1) u ON u.account_id = p.id
           WHERE COALESCE(p.spent, 0) <> COALESCE(u.sum, 0)`,
  },
  {
    // The records of an account that has such limits are read once for all of them: each key's charges, by month and in total.
    name: 'spent of a key limit = charges of the key',
    sql: `SELECT p.id, COALESCE(u.sum, 0) AS expected, p.spent AS found FROM purse p
            LEFT JOIN (SELECT account_id, key_id, key_id || ':' || COALESCE(to_char(month, 'YYYY-MM'), 'total') AS purse_id, sum(charged_nano) AS sum
                         FROM (SELECT account_id, key_id, date_trunc('month', at AT TIME ZONE 'UTC') AS month, charged_nano FROM usage_record
                                WHERE account_id IN (SELECT account_id FROM purse WHERE kind = 'key')) r
                        GROUP BY GROUPING SETS ((account_id, key_id, month), (account_id, key_id))) u
              ON u.account_id = p.account_id AND u.key_id = p.key_id AND u.purse_id = p.id
           WHERE p.kind = 'key' AND p.spent <> COALESCE(u.sum, 0)`,
  },
  {
    // If its key no longer has the limit, a limit's purse stays as it was until there is one again.
    name: 'credit of a key limit = the limit',
    sql: `SELECT p.id, l.nano AS expected, p.credit AS found FROM purse p JOIN api_key k ON k.id = p.key_id
           CROSS JOIN LATERAL (SELECT CASE p.id WHEN k.id || ':total' THEN k.limit_total_nano ELSE k.limit_month_nano END AS nano) l
           WHERE p.kind = 'key' AND p.credit <> l.nano`,
  },
  {
    name: 'wallets of an account = one',
    sql: `SELECT COALESCE(a.id, p.id) AS id, COALESCE(a.id, 'nobody') AS expected, COALESCE(p.account_id, 'none') AS found
            FROM account a FULL JOIN ${WALLETS} p ON p.id = a.id
           WHERE a.id IS DISTINCT FROM p.id OR p.account_id <> p.id`,
  },
  {
    name: 'payer of a key limit = account of its key',
    sql: `SELECT p.id, COALESCE(k.account_id, 'nobody') AS expected, p.account_id AS found
            FROM purse p LEFT JOIN api_key k ON k.id = p.key_id AND p.id ~ ('^' || k.id || ':(total|\\d{4}-\\d{2})$')
           WHERE p.kind = 'key' AND p.account_id IS DISTINCT FROM k.account_id`,
  },
  {
    name: 'leased out of a purse = its leases',
    sql: `SELECT COALESCE(p.id, l.purse_id) AS id, COALESCE(l.sum, 0) AS expected, COALESCE(p.leased, 0) AS found FROM purse p
            FULL JOIN (SELECT purse_id, sum(amount) AS sum FROM lease GROUP BY 1) l ON l.purse_id = p.id
           WHERE COALESCE(p.leased, 0) <> COALESCE(l.sum, 0)`,
  },
  {
    name: 'held for an unfinished task = its hold',
    sql: `SELECT t.id, CASE WHEN t.finished_at IS NULL THEN t.hold_nano ELSE 0 END AS expected, COALESCE(l.amount, 0) AS found
            FROM task t LEFT JOIN lease l ON l.task_id = t.id AND l.purse_id = t.account_id
           WHERE COALESCE(l.amount, 0) <> CASE WHEN t.finished_at IS NULL THEN t.hold_nano ELSE 0 END`,
  },
  {
    name: 'held by a task on a key limit = its hold',
    sql: `SELECT l.id, CASE WHEN t.finished_at IS NULL THEN t.hold_nano ELSE 0 END AS expected, l.amount AS found
            FROM lease l JOIN task t ON t.id = l.task_id
           WHERE t.finished_at IS NOT NULL OR l.amount <> t.hold_nano`,
  },
  {
    name: 'records of a task = one once it is finished',
    sql: `SELECT t.id, CASE WHEN t.finished_at IS NULL THEN 0 ELSE 1 END AS expected, count(u.id) AS found
            FROM task t LEFT JOIN usage_record u ON u.id = t.request_id
           GROUP BY t.id HAVING count(u.id) <> CASE WHEN t.finished_at IS NULL THEN 0 ELSE 1 END`,
  },
  {
    name: 'charged for a task = its receipt if it is completed',
    sql: `SELECT t.id, CASE t.state WHEN 'completed' THEN COALESCE((u.receipt->>'totalNano')::bigint, 0) ELSE 0 END AS expected,
                 u.charged_nano + u.shortfall_nano AS found
            FROM task t JOIN usage_record u ON u.id = t.request_id
           WHERE u.charged_nano + u.shortfall_nano <>
                 CASE t.state WHEN 'completed' THEN COALESCE((u.receipt->>'totalNano')::bigint, 0) ELSE 0 END
              OR (t.state = 'completed') <> (u.outcome = 'finished')`,
  },
  {
    name: 'charged for a task = its seconds at its pinned price',
    sql: `SELECT t.id, c.expected, u.charged_nano + u.shortfall_nano AS found
            FROM task t JOIN usage_record u ON u.id = t.request_id
           CROSS JOIN LATERAL (SELECT CASE WHEN t.state = 'completed' THEN
                  div(t.seconds * (t.pin->'rates'->>'video_second')::numeric * (t.pin->>'multiplierBp')::numeric + 9999999999, 10000000000)
                + div(COALESCE(t.pin->'rates'->>'request', '0')::numeric * (t.pin->>'multiplierBp')::numeric + 9999999999, 10000000000)
                  ELSE 0 END AS expected) c
           WHERE u.charged_nano + u.shortfall_nano <> c.expected`,
  },
  {
    name: 'payer of a task = account and key of its record',
    sql: `SELECT t.id, t.account_id || ' ' || t.key_id AS expected, u.account_id || ' ' || u.key_id AS found
            FROM task t JOIN usage_record u ON u.id = t.request_id
           WHERE u.account_id <> t.account_id OR u.key_id <> t.key_id OR u.at <> t.created_at`,
  },
  {
    name: 'receipt of a request = charge and shortfall',
    sql: `SELECT id, COALESCE((receipt->>'totalNano')::bigint, 0) AS expected, charged_nano + shortfall_nano AS found
            FROM usage_record WHERE outcome <> 'undelivered'
             AND COALESCE((receipt->>'totalNano')::bigint, 0) <> charged_nano + shortfall_nano`,
  },
  {
    name: 'lines of a receipt = its total',
    sql: `SELECT u.id, f.expected, f.found FROM (SELECT id, receipt FROM usage_record WHERE receipt->>'totalNano' IS NOT NULL) u
           CROSS JOIN LATERAL (SELECT COALESCE(sum((l->>'amountNano')::numeric), 0) AS told,
                         COALESCE(sum(div((l->>'count')::numeric * (l->>'priceNano')::numeric * (u.receipt->>'multiplierBp')::numeric
                                          + 9999999999, 10000000000)), 0) AS priced
                    FROM json_array_elements(u.receipt->'lines') l) s
           CROSS JOIN LATERAL (VALUES (s.told, (u.receipt->>'totalNano')::numeric), (s.priced, s.told)) f (expected, found)
           WHERE f.expected <> f.found`,
  },
  {
    name: 'usage by the hour = records',
    sql: `SELECT concat_ws(' ', account_id, hour, key_id, model_id, f.name) AS id, f.expected, f.found
            FROM (SELECT account_id, date_trunc('hour', at, 'UTC') AS hour, key_id, model_id, count(*) AS requests,
                         count(*) FILTER (WHERE status >= 400) AS errors, ${SUMS_OF_RECORDS}
                    FROM usage_record GROUP BY 1, 2, 3, 4) r
            FULL JOIN usage_hour b USING (account_id, hour, key_id, model_id) ${DIFFERING}`,
  },
  ...(['day', 'month'] as const).map((unit) => ({
    name: `usage by the ${unit} = by the hour`,
    sql: `SELECT concat_ws(' ', account_id, grain, ${unit}, key_id, model_id, f.name) AS id, f.expected, f.found
            FROM (SELECT account_id, CASE WHEN GROUPING(key_id) = 1 THEN 'model' WHEN GROUPING(model_id) = 1 THEN 'key' ELSE 'both' END AS grain,
                         ${unit}, COALESCE(key_id, '') AS key_id, COALESCE(model_id, '') AS model_id, ${SUMS_OF_HOURS}
                    FROM (SELECT *, date_trunc('${unit}', hour, 'UTC') AS ${unit} FROM usage_hour
                           WHERE hour < (SELECT ${unit} FROM usage_rolled)) h
                   GROUP BY GROUPING SETS ((account_id, ${unit}, key_id, model_id), (account_id, ${unit}, model_id), (account_id, ${unit}, key_id))) r
            FULL JOIN usage_${unit} b USING (account_id, grain, ${unit}, key_id, model_id) ${DIFFERING}`,
  })),
]

// Only a process that lives can take it back, and has had the time to: none does after everything was killed, or in a restored
// backup, until the next start.
const HELD = `
  SELECT l.id, 0 AS expected, l.amount AS found FROM lease l JOIN process p ON p.id = l.owner
   WHERE l.amount > 0 AND p.beat_at < clock_timestamp() - make_interval(secs => $1)
     AND EXISTS (SELECT 1 FROM process WHERE started_at < clock_timestamp() - make_interval(secs => $1)
                                         AND beat_at > clock_timestamp() - make_interval(secs => $1 / 4))`

/**
 * Reads the books and their records in one snapshot. `sweepMs` is how long a dead process may hold anything while a gateway runs
 * that takes it back, or null if that is not checked, as in a copy.
 */
export async function readAudit(pool: pg.Pool, sweepMs: number | null): Promise<{ sums: AuditSums; checks: AuditCheck[] }> {
  return inSnapshot(pool, async (client) => {
    const sums = (await client.query<AuditSums>(SUMS)).rows[0] as AuditSums
    const checks: AuditCheck[] = []
    for (const { name, sql } of CHECKS) checks.push({ name, rows: (await client.query(`${sql} LIMIT ${MAX_ROWS}`)).rows })
    if (sweepMs !== null)
      checks.push({ name: 'nothing held by a dead process', rows: (await client.query(HELD, [sweepMs / 1000])).rows })
    return { sums, checks }
  })
}
