import { useTranslations } from 'next-intl'

/** Says where something is sent that a setting is not right, which narrow windows hide. */
export function SettingsFault() {
  const t = useTranslations('playground')
  return (
    <p role="alert" className="text-bad text-sm">
      {t('settingsFault')}
    </p>
  )
}
