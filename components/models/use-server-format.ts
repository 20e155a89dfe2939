import { useLocale } from 'next-intl'
import { joinList } from '../join-texts.ts'

/**
 * Formats counts, lists and days for content that only the server renders: in the reader's language, with days in UTC, because the
 * server does not know the reader's time zone.
 */
export function useServerFormat() {
  const locale = useLocale()
  const days = new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : 'zh-CN', { dateStyle: 'medium', timeZone: 'UTC' })
  const counts = new Intl.NumberFormat(locale)
  return {
    day: (iso: string) => days.format(new Date(iso)),
    count: (value: number) => counts.format(value),
    list: (items: readonly (string | number)[]) => joinList(locale, items),
  }
}
