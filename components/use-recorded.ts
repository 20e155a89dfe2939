import { useTranslations } from 'next-intl'
import { readRecorded } from '#lib/domain/recorded'

/** What the gateway has kept in its own words, in the reader's language; what people have written, as they wrote it. */
export function useRecorded(): (text: string) => string {
  const t = useTranslations('recorded')
  return (text) => {
    const found = readRecorded(text)
    return found === null ? text : t(found.name, found.values)
  }
}
