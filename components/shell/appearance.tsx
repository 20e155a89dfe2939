'use client'
import { Languages, Monitor, Moon, Sun } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useTheme } from 'next-themes'
import { useEffect, useState } from 'react'
import { locales } from '#lib/contracts/locales'
import { Button } from '../ui/button.tsx'
import { Menu, MenuRadioGroup, MenuSeparator } from '../ui/dropdown-menu.tsx'
import { useLocaleSwitch } from '../use-locale-switch.ts'

/** The available themes with their icons. */
export const themes = [
  { value: 'system', Icon: Monitor },
  { value: 'light', Icon: Sun },
  { value: 'dark', Icon: Moon },
] as const

/** The choices of theme and language, for a menu. */
export function AppearanceChoices() {
  const t = useTranslations('shell')
  const { theme = 'system', setTheme } = useTheme()
  const [locale, setLocale] = useLocaleSwitch()
  return (
    <>
      <MenuRadioGroup
        label={t('theme')}
        value={theme}
        onChange={setTheme}
        options={themes.map(({ value, Icon }) => ({
          value,
          label: (
            <>
              <Icon aria-hidden className="size-3.5 text-second" />
              {t(value)}
            </>
          ),
        }))}
      />
      <MenuSeparator />
      <MenuRadioGroup
        label={t('language')}
        value={locale}
        onChange={setLocale}
        options={Object.entries(locales).map(([value, name]) => ({ value, label: <span lang={value}>{name}</span> }))}
      />
    </>
  )
}

/** Theme and language for pages without an account menu. */
export function AppearanceMenu() {
  const t = useTranslations('shell')
  const { resolvedTheme } = useTheme()
  // The server does not know the theme, so the icon is chosen in the browser.
  const [mounted, setMounted] = useState(false)
  useEffect(() => setMounted(true), [])
  const Icon = mounted && resolvedTheme === 'dark' ? Moon : Sun
  return (
    <Menu
      trigger={
        <Button tone="ghost" aria-label={t('appearance')}>
          <Icon aria-hidden className="size-4" />
          <Languages aria-hidden className="size-4" />
        </Button>
      }
    >
      <AppearanceChoices />
    </Menu>
  )
}
