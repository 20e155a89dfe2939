import { LOCALE_COOKIE } from '#lib/contracts/locales'

const YEAR_SECONDS = 31_536_000

/** Stores the language in the cookie that the server reads. The page has to be requested again afterwards. */
export function writeLocale(locale: string): void {
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
  document.cookie = `${LOCALE_COOKIE}=${locale}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`
}
