'use client'
import { useRouter } from 'next/navigation'
import { useLocale } from 'next-intl'
import type { Locale } from '#lib/contracts/locales'
import { writeLocale } from './write-locale.ts'

/** The current language and a function that changes it. The choice is stored in a cookie that the server reads. */
export function useLocaleSwitch(): [Locale, (next: string) => void] {
  const locale = useLocale()
  const router = useRouter()
  return [
    locale,
    (next) => {
      writeLocale(next)
      router.refresh()
    },
  ]
}
