import type { ReactNode } from 'react'

/** Whether an address that a model wrote can be a link. */
export const isHttpUrl = (url: string | undefined): url is string => url !== undefined && /^https?:\/\//i.test(url)

/** A link to a page that is not the console's. It opens beside it, and is told nothing of where it came from. */
export const ExternalLink = ({ href, children }: { href: string; children: ReactNode }) => (
  <a
    href={href}
    target="_blank"
    rel="noopener noreferrer"
    className="rounded-sm text-accent underline underline-offset-4 [overflow-wrap:anywhere]"
  >
    {children}
  </a>
)
