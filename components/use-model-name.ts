import { useTranslations } from 'next-intl'

/** The display name of a model. A request that could not be parsed has no model (an empty id). */
export function useModelName(): (id: string) => string {
  const t = useTranslations('common')
  return (id) => (id === '' ? t('noModel') : id)
}
