'use client'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { cn } from '../cn.ts'
import { PageHeader } from '../shell/page-header.tsx'
import { useScrollToCurrent } from '../use-scroll-to-current.ts'
import { tabs } from './tabs.ts'

/** The frame of every settings page: its header, its notices and the links to the other pages. */
export function SettingsFrame({ children }: { children: ReactNode }) {
  const t = useTranslations('settings')
  const open = usePathname()
  const list = useScrollToCurrent<HTMLElement>(open)
  return (
    <>
      <PageHeader title={t('title')} />
      <nav ref={list} aria-label={t('tabs')} className="scroll-px-4 overflow-x-auto border-b px-4 sm:px-7">
        <ul className="flex w-max gap-5">
          {tabs.map(({ path, name }) => (
            <li key={path}>
              <Link
                href={path}
                {...(path === open ? { 'aria-current': 'page' as const } : {})}
                className={cn(
                  '-mb-px flex h-11 items-center whitespace-nowrap border-transparent border-b-2 text-second transition-colors hover:text-ink',
                  path === open && 'border-accent font-medium text-ink',
                )}
              >
                {t(`names.${name}`)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="flex w-full max-w-[860px] flex-col gap-4 px-4 py-5 sm:px-7 sm:py-6">{children}</div>
    </>
  )
}
