import type { Pool } from 'pg'
import { exactOf, exactOfNano } from '../domain/exact-decimal.ts'
import type { VendorUsage } from '../services/reconcile/reconcile-ports.ts'

// The last deployment of a trace is the one that served. A vendor does not count what it refused or never saw. A request whose
// client disconnected, or whose answer broke off, has tokens.
const BY_DAY = `
  select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, trace -> -1 ->> 'model' as model, count(*) as requests,
         sum(input_units) as input, sum(cached_units) as cached, sum(output_units) as output, sum(vendor_cost_nano) as cost
    from usage_record
   where at >= $2 and at < $3
     and trace -> -1 ->> 'deployment' in (select id from deployment where connection_id = $1)
     and (trace -> -1 ->> 'result' = 'answered' or input_units + output_units > 0 or vendor_cost_nano > 0)
   group by 1, 2 order by 1, 2`

type Row = Record<'day' | 'model' | 'requests' | 'input' | 'cached' | 'output' | 'cost', string>

/** What usage records say about vendors. */
export const createVendorUsage = (pool: Pool): VendorUsage => ({
  async findConnectionId(named) {
    const found = await pool.query<{ id: string }>('select id from connection where name = $1 or id = $1 limit 1', [named])
    return found.rows[0]?.id ?? null
  },
  async byDay(connectionId, from, to) {
    const found = await pool.query<Row>(BY_DAY, [connectionId, from, to])
    return found.rows.map(({ day, model, cost, ...counts }) => ({
      day,
      model,
      amounts: {
        requests: exactOf(BigInt(counts.requests)),
        input: exactOf(BigInt(counts.input)),
        cached: exactOf(BigInt(counts.cached)),
        output: exactOf(BigInt(counts.output)),
        cost: exactOfNano(BigInt(cost)),
      },
    }))
  },
})
