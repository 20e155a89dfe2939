import { useTranslations } from 'next-intl'

/** What a model is called: a request that could not be read names none. */
export function useModelName(): (id: string) => string {
  const t = useTranslations('common')
  return (id) => (id === '' ? t('noModel') : id)
}
