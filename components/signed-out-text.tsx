'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'

/** Opens the sign-in in a new tab and leads from there to this address, so that what was typed here is kept. */
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

/** Says that the session has ended and how to continue. For components that render only in the browser. */
export function SignedOutText() {
  const t = useTranslations('errors')
  return t.rich('signed_out', { link: (chunks) => <SignInAgain>{chunks}</SignInAgain> })
}
