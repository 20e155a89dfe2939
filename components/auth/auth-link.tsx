import Link from 'next/link'
import type { ReactNode } from 'react'

/** A link to another page, under a form outside the console. */
export const AuthLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <p className="mt-4 text-center">
    <Link href={href} className="inline-flex min-h-6 items-center font-medium text-accent underline underline-offset-4">
      {children}
    </Link>
  </p>
)
