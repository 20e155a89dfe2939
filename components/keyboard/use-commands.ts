'use client'
import {
  BookOpen,
  Box,
  CreditCard,
  Keyboard,
  KeyRound,
  Languages,
  List,
  LogOut,
  type LucideIcon,
  Monitor,
  Moon,
  Plus,
  Settings,
  Sun,
} from 'lucide-react'
import { useRouter } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useTheme } from 'next-themes'
import useSWR from 'swr'
import { modelList } from '#lib/contracts/catalog'
import { keyList } from '#lib/contracts/keys'
import { locales } from '#lib/contracts/locales'
import { loadEntries } from '../docs/load-entries.ts'
import { searchEntries } from '../docs/search.ts'
import { modelPath } from '../models/model-path.ts'
import { tabs } from '../settings/tabs.ts'
import { leavePage } from '../shell/leave-page.ts'
import { operatorPages, pages } from '../shell/nav.tsx'
import { signOut } from '../shell/sign-out.ts'
import { useApi } from '../use-api.ts'
import { useLocaleSwitch } from '../use-locale-switch.ts'
import { useMe } from '../use-me.ts'
import { showOverlay } from './shortcuts.ts'

/** An entry of the command palette. */
export interface Command {
  /** Unique. The search looks in `label` and `keywords`. */
  id: string
  label: string
  keywords?: string[]
  /** The kind of the entry, shown at its end in a softer color. */
  note?: string
  Icon: LucideIcon
  run: () => void
}

export interface CommandGroup {
  name: 'pages' | 'actions' | 'keys' | 'models' | 'docs'
  commands: Command[]
}

/** The limit for kinds with possibly hundreds of entries. */
const MAX_COMMANDS = 6
const REQUEST_ID = /^req_\w+$/
const noRevalidation = { revalidateOnFocus: false, revalidateIfStale: false }

const searchCommands = (commands: Command[], question: string): Command[] =>
  commands
    .filter(({ label, keywords = [] }) => [label, ...keywords].join(' ').toLowerCase().includes(question))
    .slice(0, MAX_COMMANDS)

function useActions(go: (path: string) => void): Command[] {
  const t = useTranslations('keyboard')
  const shell = useTranslations('shell')
  const { setTheme } = useTheme()
  const [locale, setLocale] = useLocaleSwitch()
  const themes = { light: Sun, dark: Moon, system: Monitor } as const
  return [
    { id: 'new-key', label: t('newKey'), Icon: Plus, run: () => go('/keys?new=key') },
    { id: 'top-up', label: t('topUp'), Icon: CreditCard, run: () => go('/billing') },
    ...(Object.keys(themes) as (keyof typeof themes)[]).map((theme) => ({
      id: `theme-${theme}`,
      label: t('within', { place: shell('theme'), name: shell(theme) }),
      Icon: themes[theme],
      run: () => setTheme(theme),
    })),
    ...Object.entries(locales)
      .filter(([value]) => value !== locale)
      .map(([value, name]) => ({
        id: `language-${value}`,
        label: t('within', { place: shell('language'), name }),
        Icon: Languages,
        run: () => setLocale(value),
      })),
    { id: 'shortcuts', label: t('list'), Icon: Keyboard, run: () => showOverlay('list') },
    { id: 'sign-out', label: shell('signOut'), Icon: LogOut, run: () => void signOut() },
  ]
}

/** The entries of the palette for the typed text. */
export function useCommands(question: string): CommandGroup[] {
  const t = useTranslations('keyboard')
  const nav = useTranslations('nav')
  const settings = useTranslations('settings')
  const router = useRouter()
  const go = (path: string) => leavePage(() => router.push(path))
  const actions = useActions(go)
  const keys = useApi('/api/keys', keyList, noRevalidation).data?.rows ?? []
  const models = useApi('/api/models', modelList, noRevalidation).data?.rows ?? []
  const typed = question.trim().toLowerCase()
  const docs = useSWR(typed === '' ? null : 'docs', loadEntries, noRevalidation).data ?? []
  const isStaff = (useMe()?.role ?? 'holder') !== 'holder'
  const pageCommands = [
    ...pages.map(({ path, name, Icon }) => ({ id: `page-${name}`, label: nav(name), Icon, run: () => go(path) })),
    ...(isStaff ? operatorPages : []).map(({ path, name, Icon }) => ({
      id: `page-${name}`,
      label: t('within', { place: nav('operator'), name: nav(name) }),
      Icon,
      run: () => go(path),
    })),
  ]
  const settingsCommands = tabs.map(({ path, name }) => ({
    id: `settings-${name}`,
    label: t('within', { place: settings('title'), name: settings(`names.${name}`) }),
    Icon: Settings,
    run: () => go(path),
  }))
  const request = REQUEST_ID.test(typed)
    ? [{ id: typed, label: t('openRequest', { id: typed }), Icon: List, run: () => go(`/history?id=${typed}`) }]
    : []
  const groups: CommandGroup[] = [
    { name: 'pages', commands: [...request, ...pageCommands, ...settingsCommands] },
    { name: 'actions', commands: actions },
  ]
  if (typed === '') return groups
  const keyCommands = keys.map(({ id, name, hint }) => ({
    id,
    label: name,
    keywords: [hint],
    note: hint,
    Icon: KeyRound,
    run: () => go(`/history?key=${encodeURIComponent(id)}`),
  }))
  const modelCommands = models.map(({ id, ownedBy }) => ({
    id: `model-${id}`,
    label: id,
    keywords: [ownedBy],
    note: ownedBy,
    Icon: Box,
    run: () => go(modelPath(id)),
  }))
  const docCommands = searchEntries(docs, question)
    .slice(0, MAX_COMMANDS)
    .map(({ href, title, page }) => ({
      id: `docs-${href}`,
      label: title,
      // Already found by its text, so the typed text is added to make the palette show it.
      keywords: [question],
      note: page,
      Icon: BookOpen,
      run: () => go(href),
    }))
  return [
    ...groups,
    { name: 'keys', commands: searchCommands(keyCommands, typed) },
    { name: 'models', commands: searchCommands(modelCommands, typed) },
    { name: 'docs', commands: docCommands },
  ]
}
