import type { Dispatcher } from 'undici'
import { askVendor, VendorQueryFailure } from './list-models.ts'

/** How a kind of vendor reports its balance. */
interface Question {
  /** The address to ask, made from a connection's base URL. */
  urlFor(baseUrl: URL): string
  /** The amounts in the answer, by currency; null if the answer has another form. */
  read(answer: Record<string, unknown>): { amount: number; currency: string }[] | null
}

const object = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

/** Reads an amount, which vendors write as a number or as a text. */
function amountOf(value: unknown): number | null {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof amount === 'number' && Number.isFinite(amount) && Math.abs(amount) < 1e9 ? amount : null
}

/** The base URL with `end` in place of the version at the end of its path. */
const replaceVersion = (url: URL, end: string): string =>
  `${url.origin}${url.pathname.replace(/\/+$/, '').replace(/\/(v1|beta)$/, '')}${end}`
const appendPath = (url: URL, end: string): string => `${url.origin}${url.pathname.replace(/\/+$/, '')}${end}`

const QUESTIONS: Record<string, Question> = {
  // https://api-docs.deepseek.com/api/get-user-balance
  deepseek: {
    urlFor: (url) => replaceVersion(url, '/user/balance'),
    read({ balance_infos: infos }) {
      if (!Array.isArray(infos)) return null
      return infos.map(object).flatMap(({ total_balance, currency }) => {
        const amount = amountOf(total_balance)
        return amount === null || typeof currency !== 'string' ? [] : [{ amount, currency }]
      })
    },
  },
  // https://openrouter.ai/docs/api-reference/get-credits: needs a management key.
  openrouter: {
    urlFor: (url) => appendPath(url, '/credits'),
    read({ data }) {
      const [bought, used] = [amountOf(object(data).total_credits), amountOf(object(data).total_usage)]
      return bought === null || used === null ? null : [{ amount: bought - used, currency: 'usd' }]
    },
  },
  // https://platform.moonshot.ai/docs/api/balance: in dollars there, in yuan at its Chinese address.
  moonshot: {
    urlFor: (url) => appendPath(url, '/users/me/balance'),
    read({ data }) {
      const amount = amountOf(object(data).available_balance)
      return amount === null ? null : [{ amount, currency: '' }]
    },
  },
}

/** The kinds of vendors that report their balance. */
export const balanceKinds: readonly string[] = Object.keys(QUESTIONS)

const NANO_OF_MICRO = 1000n

export interface BalanceRequestOptions {
  dispatcher: Dispatcher
  headers: Record<string, string>
}

/**
 * Asks a vendor for the balance, in nano-units of a currency. If the vendor reports several currencies, `preferred` is used.
 * Throws a VendorQueryFailure that says what went wrong.
 */
export async function askBalance(
  connection: { kind: string; baseUrl: string; secret: string | null },
  preferred: string,
  { dispatcher, headers }: BalanceRequestOptions,
): Promise<{ nano: bigint; currency: string }> {
  const question = QUESTIONS[connection.kind]
  if (!question) throw new VendorQueryFailure('unlisted', 'it does not report a balance')
  const { secret } = connection
  const url = new URL(connection.baseUrl)
  const authorization: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` }
  const answer = await askVendor(question.urlFor(url), { ...headers, ...authorization }, 'balance', dispatcher)
  const found = question.read(object(answer))
  const chosen = found?.find(({ currency }) => currency.toLowerCase() === preferred) ?? found?.[0]
  if (!chosen) throw new VendorQueryFailure('unreadable', 'it reported its balance in an unknown format')
  const usual = url.hostname.endsWith('.cn') ? 'cny' : 'usd'
  // Digits of a vendor's number beyond millionths are noise.
  const nano = BigInt(Math.round(chosen.amount * 1e6)) * NANO_OF_MICRO
  return { nano, currency: (chosen.currency || usual).toLowerCase() }
}
