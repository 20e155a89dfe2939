'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'

/** Leads to the sign-in in a tab of its own, and from there to this very address: what was typed here stays as it is. */
function SignInAgain({ children }: { children: ReactNode }) {
  const here = window.location.pathname + window.location.search
  return (
    <a
      href={`/sign-in?next=${encodeURIComponent(here)}`}
      target="_blank"
      rel="noopener"
      className="font-medium underline underline-offset-4"
    >
      {children}
    </a>
  )
}

/** That the session has ended, and the way to go on. For what is drawn in the browser alone. */
export function SignedOutText() {
  const t = useTranslations('errors')
  return t.rich('signed_out', { link: (chunks) => <SignInAgain>{chunks}</SignInAgain> })
}
