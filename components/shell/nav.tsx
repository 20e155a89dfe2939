'use client'
import { House, KeyRound, List } from 'lucide-react'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { cn } from '../cn.ts'

/** The pages of the console in their groups. A page is named here when it exists. */
const groups = [
  {
    title: null,
    pages: [
      { path: '/overview', name: 'overview', Icon: House },
      { path: '/keys', name: 'keys', Icon: KeyRound },
    ],
  },
  { title: 'used', pages: [{ path: '/history', name: 'history', Icon: List }] },
] as const

/** The list of pages, with the open one marked. */
export function Nav({ onNavigate }: { onNavigate?: () => void }) {
  const t = useTranslations('nav')
  const path = usePathname()
  return (
    <nav aria-label={t('label')} className="flex flex-col gap-6">
      {groups.map((group) => (
        <div key={group.title ?? 'first'}>
          {group.title !== null && <p className="mb-2 px-2 text-second text-xs">{t(group.title)}</p>}
          <ul className="flex flex-col gap-0.5">
            {group.pages.map(({ path: to, name, Icon }) => (
              <li key={to}>
                <Link
                  href={to}
                  {...(path === to ? { 'aria-current': 'page' as const } : {})}
                  {...(onNavigate === undefined ? {} : { onClick: onNavigate })}
                  className={cn(
                    'flex h-8 items-center gap-2.5 rounded-md px-2 text-second transition-colors hover:bg-hover hover:text-ink',
                    path === to && 'bg-hover font-semibold text-ink',
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
