import { useTranslations } from 'next-intl'
import { parseStoredText } from '#lib/domain/stored-text'

/** Translates texts that the gateway stored in its own words. Texts that people wrote stay as they are. */
export function useStoredText(): (text: string) => string {
  const t = useTranslations('recorded')
  return (text) => {
    const found = parseStoredText(text)
    return found === null ? text : t(found.name, found.values)
  }
}
