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
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <div className="flex h-14 shrink-0 items-center px-5">
        <Link href="/overview" className="inline-flex rounded-md" {...(onNavigate === undefined ? {} : { onClick: onNavigate })}>
          <Logo name={t('product')} />
        </Link>
      </div>
      <div className="px-3 pt-1 pb-2">
        <SearchButton {...(onNavigate === undefined ? {} : { onOpen: onNavigate })} />
      </div>
      {/* If the list of pages is too long, only it scrolls. The logo and the account stay in place. */}
      <div className="min-h-0 flex-1 overflow-y-auto scroll-py-6 overscroll-contain px-3 pt-2 pb-6">
        <Nav {...(onNavigate === undefined ? {} : { onNavigate })} />
      </div>
      <div className="mx-3 shrink-0 border-t py-2">
        <AccountMenu />
      </div>
    </div>
  )
}

/** The sidebar of wide windows. Narrower ones use the sheet in the header. */
export const Sidebar = () => (
  <div className="sticky top-0 hidden h-dvh w-[228px] shrink-0 border-r lg:flex">
    <SidebarContent />
  </div>
)
