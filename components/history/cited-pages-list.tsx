import { ExternalLink } from '../ui/external-link.tsx'
import type { CitedPage } from './cited-pages.ts'

/** The web pages that an answer cites, as links. */
export function CitedPages({ pages, title: heading }: { pages: readonly CitedPage[]; title: string }) {
  return (
    <div className="flex min-w-0 flex-col gap-1 border-line-soft border-t pt-2 text-sm">
      <p className="text-second">{heading}</p>
      <ul className="flex min-w-0 flex-col gap-1">
        {pages.map(({ url, title }) => (
          <li key={url} className="min-w-0">
            <ExternalLink href={url}>{title}</ExternalLink> <span className="text-second">{new URL(url).host}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
