import type { Pool } from 'pg'
import type { UsageAmounts, UsageCell, UsageFilter, UsageReports } from '../../services/usage/usage-ports.ts'
import { type Grain, SPAN_ROWS, spanParameters } from '../usage-spans.ts'

// Cached units are part of the input's, and reasoning is part of the output's.
const SUMS = `sum(requests) as requests, sum(errors) as errors, sum(input_units + output_units) as tokens,
  sum(charged_nano) as charged`
const SUMMED = 'sum(requests) as requests, sum(errors) as errors, sum(tokens) as tokens, sum(charged) as charged'

/**
 * The conditions on rows, starting at the parameter `first`. The models of a modality are passed as an array, so that an index
 * is searched for each of them; a subquery would be compared with the rows one by one.
 */
export const filterCondition = (first: number): string =>
  `($${first}::text is null or model_id = $${first}) and ($${first + 1}::text is null or key_id = $${first + 1})
   and ($${first + 2}::text is null or model_id = any (array(select id from model where modality = $${first + 2})))`

/** The values of the three parameters of `filterCondition`, in order. */
export const filterParameters = ({ model, keyId, modality }: UsageFilter): unknown[] => [model, keyId, modality]

/** Rows with the same start are added up first, because computing the unit of a time takes longer than adding a row. */
const cells = (column: string): string => `
  select date_trunc($10, start, 'UTC') as at, "group", ${SUMMED}
  from (select start, ${column} as "group", ${SUMS} from ${SPAN_ROWS} used where ${filterCondition(11)} group by 1, 2) starts
  group by 1, 2`

const CELLS = {
  model: cells('model_id'),
  key: cells('key_id'),
  // Models are few and rows are many, so the rows are added up by model first.
  modality: `
    select at, coalesce(m.modality, '') as "group", ${SUMMED}
    from (${cells('model_id')}) used left join model m on m.id = used."group" group by 1, 2`,
}

const TOTALS = `select ${SUMS} from ${SPAN_ROWS} used where ${filterCondition(10)}`

interface Row {
  requests: string | null
  errors: string | null
  tokens: string | null
  charged: string | null
}

const amountsOf = (row: Row | undefined): UsageAmounts => ({
  chargedNano: BigInt(row?.charged ?? 0),
  tokens: BigInt(row?.tokens ?? 0),
  requests: BigInt(row?.requests ?? 0),
  errors: BigInt(row?.errors ?? 0),
})

/** The coarsest rows that can answer: `byKey` if keys are separated and models are not. */
function grainOf(byKey: boolean, { model, modality, keyId }: UsageFilter): Grain {
  if (byKey) return model === null && modality === null ? 'key' : 'both'
  return keyId === null ? 'model' : 'both'
}

/** Sums for the usage page. */
export function createUsageReports(pool: Pool): UsageReports {
  return {
    async cells(accountId, span, unit, by, filter) {
      const { rows } = await pool.query<Row & { at: Date; group: string }>(CELLS[by], [
        ...spanParameters(accountId, span, unit, grainOf(by === 'key', filter)),
        unit,
        ...filterParameters(filter),
      ])
      return rows.map((row): UsageCell => ({ at: row.at, group: row.group, ...amountsOf(row) }))
    },
    async sums(accountId, span, unit, filter) {
      const parameters = [
        ...spanParameters(accountId, span, unit, grainOf(filter.keyId !== null, filter)),
        ...filterParameters(filter),
      ]
      return amountsOf((await pool.query<Row>(TOTALS, parameters)).rows[0])
    },
    async keyNames(accountId) {
      const { rows } = await pool.query<{ id: string; name: string }>('select id, name from api_key where account_id = $1', [
        accountId,
      ])
      return new Map(rows.map(({ id, name }) => [id, name]))
    },
  }
}
