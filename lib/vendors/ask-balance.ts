import type { Dispatcher } from 'undici'
import { askVendor, ListFailure } from './list-models.ts'

/** How a kind of vendor says what is left of its money. */
interface Question {
  /** Where it says so, from a connection's base URL. */
  address(baseUrl: URL): string
  /** What it said, by currency. Null where the answer has another form. */
  read(answer: Record<string, unknown>): { amount: number; currency: string }[] | null
}

const object = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Vendors write amounts as numbers and as texts. */
function amountOf(value: unknown): number | null {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof amount === 'number' && Number.isFinite(amount) && Math.abs(amount) < 1e9 ? amount : null
}

/** The base URL's path with another end in the place of its version. */
const beside = (url: URL, end: string): string =>
  `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/(v1|beta)$/, '')}${end}`
const below = (url: URL, end: string): string => `${url.origin}${url.pathname.replace(/\/+$/, '')}${end}`

const QUESTIONS: Record<string, Question> = {
  // https://api-docs.deepseek.com/api/get-user-balance
  deepseek: {
    address: (url) => beside(url, '/user/balance'),
    read({ balance_infos: infos }) {
      if (!Array.isArray(infos)) return null
      return infos.map(object).flatMap(({ total_balance, currency }) => {
        const amount = amountOf(total_balance)
        return amount === null || typeof currency !== 'string' ? [] : [{ amount, currency }]
      })
    },
  },
  // https://openrouter.ai/docs/api-reference/get-credits: it takes a management key.
  openrouter: {
    address: (url) => below(url, '/credits'),
    read({ data }) {
      const [bought, used] = [amountOf(object(data).total_credits), amountOf(object(data).total_usage)]
      return bought === null || used === null ? null : [{ amount: bought - used, currency: 'usd' }]
    },
  },
  // https://platform.moonshot.ai/docs/api/balance: dollars there, yuan at its Chinese address.
  moonshot: {
    address: (url) => below(url, '/users/me/balance'),
    read({ data }) {
      const amount = amountOf(object(data).available_balance)
      return amount === null ? null : [{ amount, currency: '' }]
    },
  },
}

/** The kinds of vendors that say what is left. */
export const balanceKinds: readonly string[] = Object.keys(QUESTIONS)

const NANO_OF_MICRO = 1000n

export interface BalanceWay {
  dispatcher: Dispatcher
  headers: Record<string, string>
}

/**
 * Asks a vendor what is left of its money: nano-units of a currency, of `preferred` where it has several. Throws a
 * ListFailure that says in words what went wrong.
 */
export async function askBalance(
  connection: { kind: string; baseUrl: string; secret: string | null },
  preferred: string,
  { dispatcher, headers }: BalanceWay,
): Promise<{ nano: bigint; currency: string }> {
  const question = QUESTIONS[connection.kind]
  if (!question) throw new ListFailure('unlisted', 'it does not report a balance')
  const { secret } = connection
  const url = new URL(connection.baseUrl)
  const authorization: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` }
  const answer = await askVendor(question.address(url), { ...headers, ...authorization }, 'balance', dispatcher)
  const found = question.read(object(answer))
  const chosen = found?.find(({ currency }) => currency.toLowerCase() === preferred) ?? found?.[0]
  if (!chosen) throw new ListFailure('unreadable', 'it reported its balance in an unknown format')
  const usual = url.hostname.endsWith('.cn') ? 'cny' : 'usd'
  // What a number of a vendor says beyond millionths is noise.
  const nano = BigInt(Math.round(chosen.amount * 1e6)) * NANO_OF_MICRO
  return { nano, currency: (chosen.currency || usual).toLowerCase() }
}
