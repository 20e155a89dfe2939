import type { Pool } from 'pg'
import type { AccountState } from '../../contracts/operator-accounts.ts'
import type {
  AccountDetailRecord,
  AccountFilter,
  AccountRecord,
  OperatorAccounts,
  PersonRecord,
  WaitingPaymentRecord,
} from '../../services/operator/operator-account-ports.ts'
import { escapeLike } from '../escape-like.ts'
import { ALL_TIME, SPAN_ROWS_OF_ALL, spanParameters } from '../usage-spans.ts'
import { resetSecondStep, resumeAccount, setRole, signOutPerson, suspendAccount } from './account-writes.ts'

// The same conditions as in the indexes for each state.
const STATES: Record<AccountState, string> = {
  active: 'a.suspended_at is null',
  suspended: 'a.suspended_at is not null and a.closed_at is null',
  closed: 'a.closed_at is not null',
}
const STATE = `case when a.closed_at is not null then 'closed' when a.suspended_at is not null then 'suspended' else 'active' end`

/** The values of a statement, with their parameter numbers. */
class SqlParameters {
  readonly list: unknown[] = []
  readonly #named = new Map<string, string>()
  /** Adds a value and returns its parameter, with its type, because nothing else tells the type of a null. */
  add(value: unknown, type: 'text' | 'int' = 'text'): string {
    this.list.push(value)
    return `$${this.list.length}::${type}`
  }
  /** The parameter of a value that is used several times in a statement. */
  addNamed(name: string, value: unknown): string {
    const parameter = this.#named.get(name) ?? this.add(value)
    this.#named.set(name, parameter)
    return parameter
  }
}

const conditions = ({ state, role }: AccountFilter, values: SqlParameters): string[] => [
  ...(state === null ? [] : [STATES[state]]),
  ...(role === null ? [] : [`exists (select from app_user r where r.account_id = a.id and r.role = ${values.add(role)})`]),
]

const whereSql = (all: string[]): string => (all.length === 0 ? '' : `where ${all.join(' and ')}`)

interface AccountMatch {
  id: string
  /** Null if nothing was searched for. */
  rank: number | null
  text: string
}

async function listNewest(pool: Pool, filter: AccountFilter, rows: number): Promise<AccountMatch[]> {
  const values = new SqlParameters()
  const after = filter.after === null ? [] : [`a.id < ${values.add(filter.after.id)}`]
  const condition = whereSql([...conditions(filter, values), ...after])
  const { rows: found } = await pool.query<AccountMatch>(
    `select a.id, null as rank, '' as text from account a ${condition} order by a.id desc limit ${values.add(rows, 'int')}`,
    values.list,
  )
  return found
}

/** Text in the form used by the indexes for prefixes. */
const folded = (column: string): string => `lower(${column}) collate "C"`
const NO_TEXT = `''::text collate "C"`

/** One way of finding accounts: the rows to search, and the text that orders them. */
interface SearchStrategy {
  from: string
  id: string
  text: string
  is: string[]
}

/** By an id, the end of a key, an email, the account's name, or a person's name. Each way leaves out what earlier ones find. */
function searchStrategyOf(
  rank: number,
  { text, hint }: { text: string; hint: string | null },
  values: SqlParameters,
): SearchStrategy | null {
  const startsWithText = (column: string) =>
    `${folded(column)} like ${values.addNamed('prefix', `${escapeLike(text.toLowerCase())}%`)}`
  const byId = () => {
    const id = values.addNamed('id', text)
    return `a.id in (select id from account where id = ${id} union all select account_id from app_user where id = ${id}
                     union all select account_id from api_key where id = ${id}
                     union all select account_id from payment where id = ${id} or session_id = ${id} or intent_id = ${id})`
  }
  const byKeyHint = () => `a.id in (select account_id from api_key where hint = ${values.addNamed('end', hint)})`
  // The offset makes the subquery run row by row. As a join, all rows with that prefix would be read and sorted before the
  // first row is returned.
  const byEmail = () => `exists (select from app_user v where v.account_id = a.id and ${startsWithText('v.email')} offset 0)`
  /** If several people of one account match, the first one found stands for it. */
  const first = (
    column: string,
  ) => `not exists (select from app_user v where v.account_id = a.id and ${startsWithText(`v.${column}`)}
    and (${folded(`v.${column}`)}, v.id) < (${folded(`u.${column}`)}, u.id) offset 0)`
  const [accounts, people] = [
    { from: 'account a', id: 'a.id' },
    { from: 'app_user u cross join lateral (select * from account where id = u.account_id offset 0) a', id: 'u.account_id' },
  ]
  const rest = () => [`not ${byId()}`, `not ${byKeyHint()}`]
  const strategies: (() => SearchStrategy)[] = [
    () => ({ ...accounts, text: NO_TEXT, is: [byId()] }),
    () => ({ ...accounts, text: NO_TEXT, is: [byKeyHint(), `not ${byId()}`] }),
    () => ({ ...people, text: folded('u.email'), is: [startsWithText('u.email'), first('email'), ...rest()] }),
    () => ({ ...accounts, text: folded('a.name'), is: [startsWithText('a.name'), `not ${byEmail()}`, ...rest()] }),
    () => ({
      ...people,
      text: folded('u.name'),
      is: [startsWithText('u.name'), first('name'), `not ${byEmail()}`, `not ${startsWithText('a.name')}`, ...rest()],
    }),
  ]
  return strategies[rank]?.() ?? null
}

/**
 * Tries one way after another until there are enough rows. Each reads its index in order, from where the previous page ended,
 * so a single letter costs as little as a whole address.
 */
async function searchAccounts(
  pool: Pool,
  filter: AccountFilter,
  search: { text: string; hint: string | null },
  rows: number,
): Promise<AccountMatch[]> {
  const found: AccountMatch[] = []
  const begin = filter.after?.found?.rank ?? 0
  for (let rank = begin; found.length < rows; rank++) {
    const values = new SqlParameters()
    const strategy = searchStrategyOf(rank, search, values)
    if (strategy === null) break
    const after = rank === begin ? filter.after : null
    const afterCursor = after?.found
      ? [`(${strategy.text}, ${strategy.id}) > (${values.add(after.found.text)} collate "C", ${values.add(after.id)})`]
      : []
    const condition = whereSql([...strategy.is, ...conditions(filter, values), ...afterCursor])
    const { rows: more } = await pool.query<AccountMatch>(
      `select a.id, ${rank} as rank, ${strategy.text} as text from ${strategy.from} ${condition}
       order by ${strategy.text}, ${strategy.id} limit ${values.add(rows - found.length, 'int')}`,
      values.list,
    )
    found.push(...more)
  }
  return found
}

interface Row {
  id: string
  name: string
  email: string | null
  role: AccountRecord['role'] | null
  state: AccountState
  balance: string | null
  created_at: Date
}

const ROWS = `
  select a.id, a.name, u.email, u.role, ${STATE} as state, p.credit - p.spent as balance, a.created_at
    from unnest($1::text[]) with ordinality c (id, place) join account a on a.id = c.id left join purse p on p.id = a.id
    left join lateral (select email, role from app_user where account_id = a.id order by created_at, id limit 1) u on true
   order by c.place`

async function page(pool: Pool, filter: AccountFilter, rows: number): Promise<AccountRecord[]> {
  const found = await (filter.search === null
    ? listNewest(pool, filter, rows)
    : searchAccounts(pool, filter, filter.search, rows))
  const matchById = new Map(found.map((one) => [one.id, one]))
  const shown = await pool.query<Row>(ROWS, [[...matchById.keys()]])
  return shown.rows.map(({ balance, created_at, ...row }) => {
    const { rank = null, text = '' } = matchById.get(row.id) ?? {}
    return {
      ...row,
      email: row.email ?? '',
      role: row.role ?? 'holder',
      balanceNano: BigInt(balance ?? 0),
      createdAt: created_at,
      place: { id: row.id, found: rank === null ? null : { rank, text } },
    }
  })
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

// A page that Stripe never made cannot be paid.
const WAITING_PAYMENTS = `
  select id, state, amount_nano, source = 'auto' as automatic, created_at as "createdAt" from payment
   where account_id = $1 and state in ('open', 'processing') and (source = 'auto' or session_id is not null)
   order by created_at desc limit 20`

type AccountDetails = Omit<AccountDetailRecord, 'balanceNano' | 'leasedNano' | 'owedNano'>

/** Accounts as operators see and change them. */
export function createOperatorAccounts(pool: Pool): OperatorAccounts {
  return {
    page: (filter, rows) => page(pool, filter, rows),
    async spentSince(accountIds, from) {
      const { rows } = await pool.query<{ account_id: string; spent: string }>(
        `select account_id, sum(charged_nano) as spent from ${SPAN_ROWS_OF_ALL} used group by 1`,
        spanParameters(accountIds, { from, to: ALL_TIME.to }, 'day', 'model'),
      )
      return new Map(rows.map(({ account_id, spent }) => [account_id, BigInt(spent)]))
    },
    async find(accountId) {
      const { rows } = await pool.query<AccountDetails & { balance: string; leased: string; owed: string }>(ACCOUNT, [accountId])
      const [row] = rows
      if (!row) return null
      const { balance, leased, owed, ...account } = row
      return { ...account, balanceNano: BigInt(balance ?? 0), leasedNano: BigInt(leased ?? 0), owedNano: BigInt(owed ?? 0) }
    },
    people: async (accountId, at) => (await pool.query<PersonRecord>(PEOPLE, [accountId, at])).rows,
    async waitingPayments(accountId) {
      const { rows } = await pool.query<Omit<WaitingPaymentRecord, 'amountNano'> & { amount_nano: string }>(WAITING_PAYMENTS, [
        accountId,
      ])
      return rows.map(({ amount_nano, ...payment }) => ({ ...payment, amountNano: BigInt(amount_nano) }))
    },
    suspend: (actor, accountId, reason, at) => suspendAccount(pool, actor, accountId, reason, at),
    resume: (actor, accountId) => resumeAccount(pool, actor, accountId),
    setRole: (actor, change, at) => setRole(pool, actor, change, at),
    signOut: (actor, personId, at) => signOutPerson(pool, actor, personId, at),
    resetSecondStep: (actor, personId, at) => resetSecondStep(pool, actor, personId, at),
  }
}
