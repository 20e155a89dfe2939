import { chooseLocale, LOCALE_COOKIE, type Locale } from '../contracts/locales.ts'
import { cookieOf } from './cookie.ts'

/** What of a request tells its language: the reader's own choice, and what the browser wants. */
function told(headers: Headers): [chosen: string | undefined, accepted: string | null] {
  return [cookieOf(headers.get('cookie'), LOCALE_COOKIE) ?? undefined, headers.get('accept-language')]
}

/** The language of the pages that a request comes from, by the same rule as theirs (lib/i18n/request.ts). */
export const localeOf = (headers: Headers): Locale => chooseLocale(...told(headers))

/** The same; null for programs, which have no pages and say nothing of a language. */
export function localeOfReader(headers: Headers): Locale | null {
  return told(headers).some((said) => said != null) ? localeOf(headers) : null
}
