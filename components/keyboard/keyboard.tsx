'use client'
import dynamic from 'next/dynamic'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useMemo } from 'react'
import { notLoaded } from '../not-loaded.tsx'
import { leavePage } from '../shell/leave-page.ts'
import { pages } from '../shell/nav.tsx'
import { type Shortcut, showOverlay, useOverlay, useShortcuts } from './shortcuts.ts'

// Both are loaded when they are first opened.
const CommandPalette = dynamic(() => import('./command-palette.tsx').then((module) => module.CommandPalette).catch(notLoaded))
const ShortcutList = dynamic(() => import('./shortcut-list.tsx').then((module) => module.ShortcutList).catch(notLoaded))

/** The letter after G that leads to a page of the navigation. Pages without one are reached through the palette. */
const LETTER_BY_PAGE: Record<string, string> = {
  overview: 'o',
  keys: 'k',
  playground: 'p',
  usage: 'u',
  history: 'h',
  billing: 'b',
  settings: 's',
  models: 'm',
  docs: 'd',
}

/** The shortcuts that work on every page of the console, and the two dialogs that they open. */
export function Keyboard() {
  const t = useTranslations('keyboard')
  const nav = useTranslations('nav')
  const router = useRouter()
  const open = useOverlay()
  const shortcuts = useMemo((): Shortcut[] => {
    const jumps = pages.flatMap(({ path, name }) => {
      const letter = LETTER_BY_PAGE[name]
      if (letter === undefined) return []
      return [{ keys: `g ${letter}`, label: t('goTo', { page: nav(name) }), run: () => leavePage(() => router.push(path)) }]
    })
    const dialogShortcuts = [
      { keys: '$mod+k', label: t('palette'), run: () => showOverlay('palette') },
      { keys: '[Shift]+?', label: t('list'), run: () => showOverlay('list') },
    ]
    return [...dialogShortcuts, ...jumps].map((shortcut) => ({ ...shortcut, place: 'everywhere' as const }))
  }, [t, nav, router])
  useShortcuts(shortcuts)
  return (
    <>
      {open === 'palette' && <CommandPalette onClose={() => showOverlay(null)} />}
      {open === 'list' && <ShortcutList onClose={() => showOverlay(null)} />}
    </>
  )
}
