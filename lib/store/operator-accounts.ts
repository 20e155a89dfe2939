import type { Pool } from 'pg'
import type { AccountState } from '../contracts/operator-accounts.ts'
import type {
  AccountFilter,
  AccountRecord,
  AccountWhole,
  OperatorAccounts,
  PersonRecord,
} from '../services/operator-account-ports.ts'
import { escapeLike } from './like.ts'
import { resumeAccount, setRole, signOutPerson, suspendAccount } from './operator-account-writes.ts'
import { EVER, SPAN_ROWS_OF_ALL, spanParameters } from './usage-spans.ts'

// As the indexes of each state have them.
const STATES: Record<AccountState, string> = {
  active: 'a.suspended_at is null',
  suspended: 'a.suspended_at is not null and a.closed_at is null',
  closed: 'a.closed_at is not null',
}
const STATE = `case when a.closed_at is not null then 'closed' when a.suspended_at is not null then 'suspended' else 'active' end`

/** Values of a statement, numbered as they are named in it. */
class Values {
  readonly list: unknown[] = []
  /** The parameter's place, with its type: nothing else tells that of a null. */
  add(value: unknown, type: 'text' | 'int' = 'text'): string {
    this.list.push(value)
    return `$${this.list.length}::${type}`
  }
}

const conditions = ({ state, role }: AccountFilter, values: Values): string[] => [
  ...(state === null ? [] : [STATES[state]]),
  ...(role === null ? [] : [`exists (select from app_user r where r.account_id = a.id and r.role = ${values.add(role)})`]),
]

const where = (all: string[]): string => (all.length === 0 ? '' : `where ${all.join(' and ')}`)

const NOTHING_FOUND = `-1 as rank, '' as text`

function newestFirst(filter: AccountFilter, rows: number, values: Values): string {
  const after = filter.after === null ? [] : [`a.id < ${values.add(filter.after.id)}`]
  const fits = where([...conditions(filter, values), ...after])
  return `select a.id, ${NOTHING_FOUND} from account a ${fits} order by a.id desc limit ${values.add(rows, 'int')}`
}

/** Texts as the indexes on their beginnings have them. */
const folded = (column: string): string => `lower(${column}) collate "C"`

/**
 * What is found, best first: by an id, by the end of a key, by an address, by the account's name, by a person's. Each way
 * gives no more rows than the page has, in the order of its index, so that one letter costs as little as a whole address.
 */
function foundFirst(filter: AccountFilter, search: { text: string; hint: string | null }, rows: number, values: Values): string {
  const [id, hint] = [values.add(search.text), values.add(search.hint)]
  const prefix = values.add(`${escapeLike(search.text.toLowerCase())}%`)
  const [limit, common] = [values.add(rows, 'int'), conditions(filter, values)]
  const after = filter.after?.found && { ...filter.after.found, id: filter.after.id }
  const mark = after && { text: values.add(after.text), id: values.add(after.id) }
  const begins = (column: string) => `${folded(column)} like ${prefix}`
  const byId = `a.id in (select id from account where id = ${id} union all select account_id from app_user where id = ${id}
                         union all select account_id from api_key where id = ${id})`
  const byHint = `a.id in (select account_id from api_key where hint = ${hint})`
  const byEmail = `exists (select from app_user v where v.account_id = a.id and ${begins('v.email')})`
  /** Of several people of one account the first that is found stands for it. */
  const first = (column: string) => `not exists (select from app_user v where v.account_id = a.id and ${begins(`v.${column}`)}
    and (${folded(`v.${column}`)}, v.id) < (${folded(`u.${column}`)}, u.id))`
  const ways = [
    { from: 'account a', text: `''::text collate "C"`, is: [byId] },
    { from: 'account a', text: `''::text collate "C"`, is: [byHint, `not ${byId}`] },
    {
      from: 'app_user u join account a on a.id = u.account_id',
      text: folded('u.email'),
      is: [begins('u.email'), first('email')],
    },
    { from: 'account a', text: folded('a.name'), is: [begins('a.name'), `not ${byEmail}`] },
    {
      from: 'app_user u join account a on a.id = u.account_id',
      text: folded('u.name'),
      is: [begins('u.name'), first('name'), `not ${byEmail}`, `not ${begins('a.name')}`],
    },
  ]
  const parts = ways.flatMap(({ from, text, is }, rank) => {
    if (after && rank < after.rank) return []
    const beyond = mark && rank === after?.rank ? [`(${text}, a.id) > (${mark.text} collate "C", ${mark.id})`] : []
    const elsewhere = rank > 1 ? [`not ${byId}`, `not ${byHint}`] : []
    return [
      `(select a.id, ${rank} as rank, ${text} as text from ${from}
        ${where([...is, ...elsewhere, ...common, ...beyond])} order by 3, 1 limit ${limit})`,
    ]
  })
  return `select id, rank, text from (${parts.join(' union all ')}) ways order by rank, text, id limit ${limit}`
}

interface Row {
  id: string
  name: string
  email: string | null
  role: AccountRecord['role'] | null
  state: AccountState
  balance: string | null
  created_at: Date
  rank: number
  text: string
}

const recordOf = (row: Row): AccountRecord => ({
  id: row.id,
  name: row.name,
  email: row.email ?? '',
  role: row.role ?? 'holder',
  state: row.state,
  balanceNano: BigInt(row.balance ?? 0),
  createdAt: row.created_at,
  mark: { id: row.id, found: row.rank < 0 ? null : { rank: row.rank, text: row.text } },
})

async function page(pool: Pool, filter: AccountFilter, rows: number): Promise<AccountRecord[]> {
  const values = new Values()
  const chosen = filter.search === null ? newestFirst(filter, rows, values) : foundFirst(filter, filter.search, rows, values)
  const found = await pool.query<Row>(
    `select a.id, a.name, u.email, u.role, ${STATE} as state, p.credit - p.spent as balance, a.created_at, c.rank, c.text
       from (${chosen}) c join account a on a.id = c.id left join purse p on p.id = a.id
       left join lateral (select email, role from app_user where account_id = a.id order by created_at, id limit 1) u on true
      order by c.rank, c.text, case when c.rank < 0 then null else a.id end, a.id desc`,
    values.list,
  )
  return found.rows.map(recordOf)
}

const ACCOUNT = `
  select a.id, a.name, ${STATE} as state, a.suspended_at as "suspendedAt", a.suspended_reason as "suspendedReason",
         a.closed_at as "closedAt", a.created_at as "createdAt", p.credit - p.spent as balance, p.leased, p.owed
    from account a left join purse p on p.id = a.id where a.id = $1`

const PEOPLE = `
  select u.id, u.email, u.name, u.role, u.email_verified_at is not null as "emailVerified", u.created_at as "createdAt",
         exists (select from second_step t where t.user_id = u.id and t.confirmed_at is not null) as "secondStep",
         s.sessions, s.last_seen as "lastSeenAt"
    from app_user u cross join lateral (
         select count(*)::int as sessions, max(last_seen_at) as last_seen
           from user_session where user_id = u.id and expires_at > $2) s
   where u.account_id = $1 order by u.created_at, u.id limit 200`

type Whole = Omit<AccountWhole, 'balanceNano' | 'leasedNano' | 'owedNano'>

/** Accounts as operators see and change them. */
export function createOperatorAccounts(pool: Pool): OperatorAccounts {
  return {
    page: (filter, rows) => page(pool, filter, rows),
    async spentSince(accountIds, from) {
      const { rows } = await pool.query<{ account_id: string; spent: string }>(
        `select account_id, sum(charged_nano) as spent from ${SPAN_ROWS_OF_ALL} used group by 1`,
        spanParameters(accountIds, { from, to: EVER.to }, 'day', 'model'),
      )
      return new Map(rows.map(({ account_id, spent }) => [account_id, BigInt(spent)]))
    },
    async find(accountId) {
      const { rows } = await pool.query<Whole & { balance: string; leased: string; owed: string }>(ACCOUNT, [accountId])
      const [row] = rows
      if (!row) return null
      const { balance, leased, owed, ...account } = row
      return { ...account, balanceNano: BigInt(balance ?? 0), leasedNano: BigInt(leased ?? 0), owedNano: BigInt(owed ?? 0) }
    },
    people: async (accountId, at) => (await pool.query<PersonRecord>(PEOPLE, [accountId, at])).rows,
    suspend: (actor, accountId, reason, at) => suspendAccount(pool, actor, accountId, reason, at),
    resume: (actor, accountId) => resumeAccount(pool, actor, accountId),
    setRole: (actor, change, at) => setRole(pool, actor, change, at),
    signOut: (actor, personId, at) => signOutPerson(pool, actor, personId, at),
  }
}
