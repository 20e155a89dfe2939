'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { SearchButton } from '../keyboard/search-button.tsx'
import { AccountMenu } from './account-menu.tsx'
import { Logo } from './logo.tsx'
import { Nav } from './nav.tsx'

/** The logo, the pages and the account, from top to bottom. */
export function SidebarContent({ onNavigate }: { onNavigate?: () => void }) {
  const t = useTranslations('common')
  return (
    <div className="flex min-h-full min-w-0 flex-1 flex-col px-3">
      <div className="flex h-14 items-center px-2">
        <Link href="/overview" className="inline-flex rounded-md" {...(onNavigate === undefined ? {} : { onClick: onNavigate })}>
          <Logo name={t('product')} />
        </Link>
      </div>
      <div className="flex-1 pt-1 pb-6">
        <SearchButton {...(onNavigate === undefined ? {} : { onOpen: onNavigate })} />
        <Nav {...(onNavigate === undefined ? {} : { onNavigate })} />
      </div>
      <div className="border-t py-2">
        <AccountMenu />
      </div>
    </div>
  )
}

/** The sidebar of wide windows; narrower ones have the sheet of the header. */
export const Sidebar = () => (
  <div className="sticky top-0 hidden h-dvh w-[228px] shrink-0 overflow-y-auto border-r lg:flex">
    <SidebarContent />
  </div>
)
