import { chooseLocale, LOCALE_COOKIE, type Locale } from '../contracts/locales.ts'
import { cookieOf } from './cookie.ts'

/** What a request says about its language: the user's own choice, and what the browser accepts. */
const languagePreferencesIn = (headers: Headers) => ({
  chosen: cookieOf(headers.get('cookie'), LOCALE_COOKIE) ?? undefined,
  accepted: headers.get('accept-language'),
})

/** The language of the pages that a request comes from, by the same rule that they use (lib/i18n/request.ts). */
export function localeOf(headers: Headers): Locale {
  const { chosen, accepted } = languagePreferencesIn(headers)
  return chooseLocale(chosen, accepted)
}

/** The same as `localeOf`, but null for programs, which name no language (Node's own `fetch` sends `*`). */
export function explicitLocaleOf(headers: Headers): Locale | null {
  const { chosen, accepted } = languagePreferencesIn(headers)
  return chosen !== undefined || /[a-z]{2}/i.test(accepted ?? '') ? chooseLocale(chosen, accepted) : null
}
