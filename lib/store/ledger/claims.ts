import type pg from 'pg'
import type { SettlementRow } from '../../ledger/ports.ts'
import { encodeTextArray } from '../encode-arrays.ts'

/**
 * The rows as they may be charged. A row whose Idempotency-Key went to another request, because its process was presumed dead
 * while it was paused, is recorded and costs nothing, because that other request is charged. The claims of the others stay
 * locked until the transaction ends, so none of them can be taken over before it is charged.
 */
export async function withoutLostClaims(client: pg.Client, rows: readonly SettlementRow[]): Promise<SettlementRow[]> {
  const claimed = rows.flatMap(({ item }) => (item.answer ? [{ ...item, key: item.answer.key }] : []))
  const found = await client.query<{ request_id: string }>({
    name: 'claims_of',
    text: `SELECT x.request_id FROM unnest($1::text[], $2::text[], $3::text[]) AS a (account_id, key, request_id)
             JOIN idempotency x ON x.account_id = a.account_id AND x.key = a.key AND x.request_id = a.request_id
            ORDER BY x.account_id, x.key FOR UPDATE OF x`,
    values: [
      encodeTextArray(claimed.map((item) => item.accountId)),
      encodeTextArray(claimed.map((item) => item.key)),
      encodeTextArray(claimed.map((item) => item.id)),
    ],
  })
  const stillClaimed = new Set(found.rows.map((row) => row.request_id))
  return rows.map((row) => {
    const { item } = row
    if (item.answer === null || stillClaimed.has(item.id)) return row
    return { ...row, actual: 0n, item: { ...item, outcome: 'undelivered', answer: null } }
  })
}
