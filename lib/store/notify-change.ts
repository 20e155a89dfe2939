import type { PoolClient } from 'pg'

/** What processes cache. For `catalog` and `setting`, everything is read again, whatever is named. */
export type Topic = 'key' | 'account' | 'catalog' | 'setting' | 'breaker'

/** The channel on which every process hears what to forget. */
export const CHANGE_CHANNEL = 'tollgate_change'

/**
 * Tells every process to forget some cached things once the caller's transaction is committed: at once by a notification, and
 * by a row for processes that miss it.
 */
export async function notifyChange(client: PoolClient, topic: Topic, ...refs: string[]): Promise<void> {
  if (refs.length === 0) return
  await client.query(
    `with told as (insert into change (topic, ref) select $1::text, unnest($2::text[]) returning topic, ref)
     select pg_notify('${CHANGE_CHANNEL}', topic || ':' || ref) from told`,
    [topic, refs],
  )
}
