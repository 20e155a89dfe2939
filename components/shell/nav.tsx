'use client'
import {
  Activity,
  BellRing,
  BookOpen,
  Box,
  Boxes,
  ChartColumn,
  CreditCard,
  House,
  KeyRound,
  Layers,
  List,
  Play,
  Plug,
  ScrollText,
  Settings,
  SlidersHorizontal,
  Ticket,
  Users,
} from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { cn } from '../cn.ts'
import { useMe } from '../use-me.ts'
import { useScrollToCurrent } from '../use-scroll-to-current.ts'

/** The pages of the console, in groups. Only pages that exist are listed. */
const groups = [
  {
    title: null,
    pages: [
      { path: '/overview', name: 'overview', Icon: House },
      { path: '/playground', name: 'playground', Icon: Play },
      { path: '/keys', name: 'keys', Icon: KeyRound },
    ],
  },
  {
    title: 'used',
    pages: [
      { path: '/usage', name: 'usage', Icon: ChartColumn },
      { path: '/history', name: 'history', Icon: List },
    ],
  },
  {
    title: 'account',
    pages: [
      { path: '/billing', name: 'billing', Icon: CreditCard },
      { path: '/settings', name: 'settings', Icon: Settings },
    ],
  },
  {
    title: 'learn',
    pages: [
      { path: '/models', name: 'models', Icon: Box },
      { path: '/docs', name: 'docs', Icon: BookOpen },
    ],
  },
] as const

/** The operator pages. */
const operatorGroup = {
  title: 'operator',
  pages: [
    { path: '/operator/traffic', name: 'traffic', Icon: Activity },
    { path: '/operator/connections', name: 'connections', Icon: Plug },
    { path: '/operator/models', name: 'operatorModels', Icon: Boxes },
    { path: '/operator/groups', name: 'groups', Icon: Layers },
    { path: '/operator/accounts', name: 'accounts', Icon: Users },
    { path: '/operator/codes', name: 'codes', Icon: Ticket },
    { path: '/operator/alerts', name: 'alerts', Icon: BellRing },
    { path: '/operator/settings', name: 'operatorSettings', Icon: SlidersHorizontal },
    { path: '/operator/audit', name: 'audit', Icon: ScrollText },
  ],
} as const

const isOpen = (path: string, page: string): boolean => path === page || path.startsWith(`${page}/`)
/** The pages that everybody has, in the order of the navigation. */
export const pages = groups.flatMap((group) => [...group.pages])
/** The pages that only operators see. */
export const operatorPages = operatorGroup.pages

/** The list of pages, with the current one marked. */
export function Nav({ onNavigate }: { onNavigate?: () => void }) {
  const t = useTranslations('nav')
  const path = usePathname()
  const role = useMe()?.role ?? 'holder'
  const shown = role === 'holder' ? groups : [...groups, operatorGroup]
  const list = useScrollToCurrent<HTMLElement>(path)
  return (
    <nav ref={list} aria-label={t('label')} className="flex flex-col gap-6">
      {shown.map((group) => (
        <div key={group.title ?? 'first'}>
          {group.title !== null && <p className="mb-2 px-2 text-second text-xs">{t(group.title)}</p>}
          <ul className="flex flex-col gap-0.5">
            {group.pages.map(({ path: to, name, Icon }) => (
              <li key={to}>
                <Link
                  href={to}
                  // Operators also visit their account's pages, which need not load the scripts of the operator pages.
                  {...(group === operatorGroup ? { prefetch: false } : {})}
                  {...(isOpen(path, to) ? { 'aria-current': 'page' as const } : {})}
                  {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
                  className={cn(
                    'flex h-8 items-center gap-2.5 rounded-md px-2 text-second transition-colors hover:bg-hover hover:text-ink',
                    isOpen(path, to) && 'bg-hover font-semibold text-ink',
                  )}
                >
                  <Icon aria-hidden strokeWidth={1.75} className="size-4" />
                  {t(name)}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  )
}
