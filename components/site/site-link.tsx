'use client'
import Link from 'next/link'
import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'

interface SiteLinkProps {
  href: string
  className: string
  children: ReactNode
}

/** A link that says where the reader is: `aria-current` on the page itself and on what is above it. */
export function SiteLink({ href, className, children }: SiteLinkProps) {
  const path = usePathname()
  const here = path === href ? 'page' : path.startsWith(`${href}/`) ? 'true' : null
  return (
    <Link href={href} prefetch={false} {...(here === null ? {} : { 'aria-current': here })} className={className}>
      {children}
    </Link>
  )
}
