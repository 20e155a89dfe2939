import { ChevronLeft } from 'lucide-react'
import Link from 'next/link'

/** Links from a detail page back to its list. */
export const BackLink = ({ href, name, className }: { href: string; name: string; className?: string }) => (
  <div className={className}>
    <Link href={href} className="-ml-1 inline-flex min-h-6 items-center gap-0.5 rounded-sm text-second hover:text-ink">
      <ChevronLeft aria-hidden className="size-4" />
      {name}
    </Link>
  </div>
)
