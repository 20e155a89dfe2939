'use client'
import { ChevronsUpDown, LogOut, Settings } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { Menu, MenuItem, MenuSeparator } from '../ui/dropdown-menu.tsx'
import { useMe } from '../use-me.ts'
import { AppearanceChoices } from './appearance.tsx'
import { signOut } from './sign-out.ts'

const initials = (name: string): string =>
  name
    .split(/\s+/)
    // The first character may be two code units.
    .map((word) => [...word][0] ?? '')
    .slice(0, 2)
    .join('')
    .toUpperCase()

/** The signed-in user, with the theme, the language and the sign-out button. */
export function AccountMenu() {
  const t = useTranslations('shell')
  const me = useMe()
  if (me === undefined) return null
  return (
    <Menu
      side="top"
      align="start"
      className="w-[203px]"
      trigger={
        <button
          type="button"
          className="flex w-full items-center gap-2.5 rounded-md px-2 py-2 text-left transition-colors hover:bg-hover"
        >
          <span
            aria-hidden
            className="grid size-[26px] shrink-0 place-items-center rounded-full bg-tint font-semibold text-[0.625rem] text-accent"
          >
            {initials(me.name)}
          </span>
          <span className="min-w-0 flex-1">
            <span className="block truncate leading-4">{me.name}</span>
            <span className="block truncate text-second text-xs">{me.email}</span>
          </span>
          <span className="sr-only">{t('account')}</span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-second" />
        </button>
      }
    >
      <AppearanceChoices />
      <MenuSeparator />
      <MenuItem asChild>
        <Link href="/settings">
          <Settings aria-hidden className="size-3.5 text-second" />
          {t('settings')}
        </Link>
      </MenuItem>
      <MenuItem onSelect={() => void signOut()}>
        <LogOut aria-hidden className="size-3.5 text-second" />
        {t('signOut')}
      </MenuItem>
    </Menu>
  )
}
