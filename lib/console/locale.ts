import { chooseLocale, LOCALE_COOKIE, type Locale } from '../contracts/locales.ts'
import { cookieOf } from './cookie.ts'

const chosen = (headers: Headers): string | undefined => cookieOf(headers.get('cookie'), LOCALE_COOKIE) ?? undefined

/** The language of the pages that a request comes from, by the same rule as theirs (lib/i18n/request.ts). */
export const localeOf = (headers: Headers): Locale => chooseLocale(chosen(headers), headers.get('accept-language'))

/** The same; null for programs, which have no pages and name no language (Node's own `fetch` sends `*`). */
export function localeOfReader(headers: Headers): Locale | null {
  const names = chosen(headers) !== undefined || /[a-z]{2}/i.test(headers.get('accept-language') ?? '')
  return names ? localeOf(headers) : null
}
