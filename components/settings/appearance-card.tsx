'use client'
import { useTranslations } from 'next-intl'
import { useTheme } from 'next-themes'
import { useEffect, useState } from 'react'
import { locales } from '#lib/contracts/locales'
import { themes } from '../shell/appearance.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { useLocaleSwitch } from '../use-locale-switch.ts'

/** The theme and the language. */
export function AppearanceCard() {
  const t = useTranslations('settings')
  const shell = useTranslations('shell')
  const { theme = 'system', setTheme } = useTheme()
  const [locale, setLocale] = useLocaleSwitch()
  // The server does not know the theme.
  const [mounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  return (
    <Card>
      <CardHeader title={t('appearanceTitle')} />
      <p className="mt-1 text-second">{t('appearanceText')}</p>
      <dl className="mt-3 grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-6 gap-y-3">
        <dt>{shell('theme')}</dt>
        <dd>
          <Segmented
            label={shell('theme')}
            value={mounted ? theme : ''}
            onChange={setTheme}
            options={themes.map(({ value, Icon }) => ({
              value: value as string,
              label: (
                <span className="inline-flex items-center gap-1.5">
                  <Icon aria-hidden className="size-3.5 max-sm:hidden" />
                  {shell(value)}
                </span>
              ),
            }))}
          />
        </dd>
        <dt>{shell('language')}</dt>
        <dd>
          <Segmented
            label={shell('language')}
            value={locale as string}
            onChange={setLocale}
            options={Object.entries(locales).map(([value, name]) => ({ value, label: <span lang={value}>{name}</span> }))}
          />
        </dd>
      </dl>
    </Card>
  )
}
