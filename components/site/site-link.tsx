'use client'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

interface SiteLinkProps {
  href: string
  className: string
  children: ReactNode
}

/** A link that marks the reader's location: `aria-current` if it leads to the current page or to one above it. */
export function SiteLink({ href, className, children }: SiteLinkProps) {
  const path = usePathname()
  const ariaCurrent = path === href ? 'page' : path.startsWith(`${href}/`) ? 'true' : null
  return (
    <Link href={href} prefetch={false} {...(ariaCurrent === null ? {} : { 'aria-current': ariaCurrent })} className={className}>
      {children}
    </Link>
  )
}
