'use client'
import { useRouter } from 'next/navigation'
import { useLocale } from 'next-intl'
import { LOCALE_COOKIE, type Locale } from './messages/locales.ts'

const YEAR_SECONDS = 31_536_000

/** The language in use, and how to change it: remembered in a cookie, which the server reads. */
export function useLocaleSwitch(): [Locale, (next: string) => void] {
  const locale = useLocale()
  const router = useRouter()
  return [
    locale,
    (next) => {
      // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser yet
      document.cookie = `${LOCALE_COOKIE}=${next}; path=/; max-age=${YEAR_SECONDS}; samesite=lax`
      router.refresh()
    },
  ]
}
