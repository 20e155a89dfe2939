'use client'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Confirm } from '../ui/confirm.tsx'
import { useBackForwardNavigation } from '../ui/use-back-forward-navigation.ts'
import { leavePage, needsCare, setLeaveConfirmation } from './leave-page.ts'
import { hasUnsaved } from './unsaved-input.ts'

const isCurrentPage = (url: string): boolean => {
  const { origin, pathname } = new URL(url)
  return origin === window.location.origin && pathname === window.location.pathname
}

/** The link that a click follows to another page in this tab. Null for all other clicks. */
function leavingLinkOf({ target, button, ctrlKey, metaKey, shiftKey, altKey }: MouseEvent): HTMLAnchorElement | null {
  if (button !== 0 || ctrlKey || metaKey || shiftKey || altKey) return null
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href]') : null
  if (link === null || link.download !== '' || !['', '_self'].includes(link.target)) return null
  return isCurrentPage(link.href) ? null : link
}

/** The link that is followed because nothing stands in its way any more. */
let followed: HTMLAnchorElement | null = null

function confirmOnClick(event: MouseEvent): void {
  const link = leavingLinkOf(event)
  if (link === null || link === followed || !needsCare()) return
  event.preventDefault()
  event.stopPropagation()
  leavePage(() => {
    followed = link
    link.click()
    followed = null
  })
}

/** The browser asks in its own words. */
function confirmOnUnload(event: BeforeUnloadEvent): void {
  if (hasUnsaved()) event.preventDefault()
}

/**
 * Asks before a link, a shortcut, the command palette, the browser's Back button or closing the tab leaves a page with unsaved
 * text. Dialogs ask for themselves.
 */
export function UnsavedChangesDialog() {
  const t = useTranslations('common')
  const [leave, setLeave] = useState<(() => void) | null>(null)
  useEffect(() => {
    const stop = new AbortController()
    setLeaveConfirmation((next) => setLeave(() => next))
    window.addEventListener('click', confirmOnClick, { capture: true, signal: stop.signal })
    window.addEventListener('beforeunload', confirmOnUnload, { signal: stop.signal })
    return () => {
      setLeaveConfirmation(null)
      stop.abort()
    }
  }, [])
  useBackForwardNavigation(true, (event) => {
    if (event.defaultPrevented || isCurrentPage(event.destination.url ?? window.location.href) || !hasUnsaved()) return
    event.preventDefault()
    leavePage(() => window.navigation.traverseTo(event.destination.key))
  })
  return (
    <Confirm
      open={leave !== null}
      onOpenChange={(open) => !open && setLeave(null)}
      title={t('leaveTitle')}
      description={t('leaveText')}
      action={t('leave')}
      cancelLabel={t('stay')}
      onConfirm={() => leave?.()}
    />
  )
}
