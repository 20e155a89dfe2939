'use client'
import { CloudOff, LogOut, Menu as MenuSign } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { SignedOutText } from '../signed-out-text.tsx'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useFormat } from '../use-format.ts'
import { Notice } from './notice.tsx'
import { Notices } from './notices.tsx'
import { useUnreachableSince } from './reachability.ts'
import { SidebarContent } from './sidebar.tsx'
import { useSignedOut } from './signed-out.ts'

function MobileNav() {
  const t = useTranslations('shell')
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        tone="ghost"
        size="icon"
        aria-label={t('openMenu')}
        aria-expanded={open}
        onClick={() => setOpen(true)}
        className="-ml-2 lg:hidden"
      >
        <MenuSign aria-hidden className="size-[18px]" />
      </Button>
      <Sheet open={open} onOpenChange={setOpen} title={t('menu')} side="left" className="w-[264px]">
        <SidebarContent onNavigate={() => setOpen(false)} />
      </Sheet>
    </>
  )
}

/** Warns that the page may show outdated data. */
function UnreachableNotice() {
  const t = useTranslations('shell')
  const format = useFormat()
  const since = useUnreachableSince()
  if (since === null) return null
  return (
    <Notice tone="bad" icon={<CloudOff aria-hidden />}>
      {t('unreached', { time: format.moment(new Date(since).toISOString()) })}
    </Notice>
  )
}

/** Warns that the session has ended while there is unsaved text on the page. */
function SignedOutNotice() {
  if (!useSignedOut()) return null
  return (
    <Notice tone="bad" icon={<LogOut aria-hidden />}>
      <SignedOutText />
    </Notice>
  )
}

interface PageHeaderProps {
  title: string
  /** Shown next to the title. */
  aside?: ReactNode
  /** The actions of the page, on the right. */
  children?: ReactNode
}

/** The bar at the top of every page, with the notices that apply to all pages below it. */
export function PageHeader({ title, aside, children }: PageHeaderProps) {
  return (
    <>
      <header className="sticky top-0 z-20 flex h-14 items-center justify-between gap-3 border-b bg-page px-4 sm:px-7">
        <div className="flex min-w-0 items-center gap-3">
          <MobileNav />
          <h1 title={title} dir="auto" className="wrap-anywhere line-clamp-2 font-semibold text-lg sm:line-clamp-1">
            {title}
          </h1>
          {aside}
        </div>
        <div className="flex shrink-0 items-center gap-2 sm:gap-3">{children}</div>
      </header>
      <UnreachableNotice />
      <SignedOutNotice />
      <Notices />
    </>
  )
}
