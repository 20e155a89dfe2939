import type { UsageSpan, UsageUnit } from '../services/usage/usage-ports.ts'
import { startAtOrAfter, startOfDay, startOfMonth } from '../services/utc.ts'

const COLUMNS = `account_id, key_id, model_id, requests, errors, input_units, cached_units, output_units, charged_nano,
  first_token_ms, first_tokens, took_ms, own_ms`

/**
 * The rows of an account's usage in a span, as a table to select from. Its columns are `start` (of the hour, day or month that
 * a row covers) and those of usage_hour. Days and months that are added up are read as whole rows; hours cover what is left at
 * both ends. Rows of the grain 'model' or 'key' separate only models or only keys; hours always separate both. Takes the
 * parameters of spanParameters() as $1 to $9. `isOf` tells whether $1 is one account or several.
 */
const spanRows = (isOf: '= $1' | '= any ($1)'): string => `(
  select hour as start, ${COLUMNS} from usage_hour where account_id ${isOf} and hour >= $2 and hour < $3
  union all
  select day, ${COLUMNS} from usage_day
   where account_id ${isOf} and grain = $9 and day >= $4 and day < least($5, $7, (select day from usage_rolled))
  union all
  select month, ${COLUMNS} from usage_month
   where account_id ${isOf} and grain = $9 and month >= $5 and month < least($6, (select month from usage_rolled))
  union all
  select day, ${COLUMNS} from usage_day
   where account_id ${isOf} and grain = $9 and day >= greatest($5, least($6, (select month from usage_rolled)))
     and day < least($7, (select day from usage_rolled))
  union all
  select hour, ${COLUMNS} from usage_hour
   where account_id ${isOf} and hour >= greatest($4, least($7, (select day from usage_rolled))) and hour < $8
)`

/** The rows of one account. */
export const SPAN_ROWS = spanRows('= $1')
/** The rows of several accounts, distinguished by `account_id`. */
export const SPAN_ROWS_OF_ALL = spanRows('= any ($1)')

/** What rows are separated by: models, keys, or both. Fewer of these mean fewer rows to add up. */
export type Grain = 'both' | 'model' | 'key'

/** The bounds of a span in the form SPAN_ROWS takes. `unit` is the longest time that one row may cover. */
export function spanParameters(
  accounts: string | readonly string[],
  { from, to }: UsageSpan,
  unit: UsageUnit,
  grain: Grain,
): unknown[] {
  if (unit === 'hour') return [accounts, from, to, to, to, to, to, to, grain]
  const [firstDay, lastDay] = [startAtOrAfter(from, 'day'), startOfDay(to)]
  const [firstMonth, lastMonth] = unit === 'month' ? [startAtOrAfter(from, 'month'), startOfMonth(to)] : [firstDay, firstDay]
  return [accounts, from, firstDay < to ? firstDay : to, firstDay, firstMonth, lastMonth, lastDay, to, grain]
}

/** From before the first request to after the last one there will be. */
export const ALL_TIME: UsageSpan = { from: new Date('2000-01-01T00:00:00Z'), to: new Date('2200-01-01T00:00:00Z') }
