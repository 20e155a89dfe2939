import { useTranslations } from 'next-intl'

/** Says next to the send button that a setting is invalid, because narrow windows hide the settings. */
export function InvalidSettingsNote() {
  const t = useTranslations('playground')
  return (
    <p role="alert" className="text-bad text-sm">
      {t('settingsFault')}
    </p>
  )
}
