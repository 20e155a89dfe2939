import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { SiteFrame } from '#components/site/site-frame'
import { currentUser } from '../api/session.ts'

/** These pages are public, so search engines may index them. */
export const metadata: Metadata = { robots: { index: true, follow: true } }

export default async function Layout({ children }: { children: ReactNode }) {
  return <SiteFrame signedIn={(await currentUser()) !== null}>{children}</SiteFrame>
}
