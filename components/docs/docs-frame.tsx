import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { SiteLink } from '../site/site-link.tsx'
import { DocsSearch } from './docs-search.tsx'
import { Endpoint } from './endpoint.tsx'

export interface DocsLink {
  href: string
  title: string
  /** The HTTP method, if the link leads to an endpoint. */
  method?: string
}

export interface DocsSection {
  title: string
  links: DocsLink[]
}

const linkStyles =
  'block rounded-md px-2 py-1.5 text-second transition-colors hover:text-ink aria-[current=page]:bg-hover aria-[current=page]:font-medium aria-[current=page]:text-ink'

function Pages({ parts }: { parts: readonly DocsSection[] }) {
  return (
    <div className="flex flex-col gap-5">
      {parts.map((part) => (
        <div key={part.title}>
          <p className="mb-1 px-2 text-second text-xs">{part.title}</p>
          <ul>
            {part.links.map(({ href, title, method }) => (
              <li key={href}>
                <SiteLink href={href} className={linkStyles}>
                  {method === undefined ? title : <Endpoint method={method} path={title} />}
                </SiteLink>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  )
}

/** The frame of the documentation: search and the list of pages, on the left or, in narrow windows, collapsed. */
export function DocsFrame({ parts, children }: { parts: readonly DocsSection[]; children: ReactNode }) {
  const t = useTranslations('docs')
  const search = (
    <DocsSearch
      texts={{ label: t('search.label'), none: t('search.none'), failed: t('search.failed'), found: t('search.found') }}
    />
  )
  return (
    <div className="grid gap-x-10 gap-y-5 lg:grid-cols-[14rem_minmax(0,1fr)]">
      <div className="flex flex-col gap-4 lg:sticky lg:top-[5.25rem] lg:max-h-[calc(100dvh-6.5rem)] lg:self-start lg:overflow-y-auto lg:p-1">
        {search}
        <details className="rounded-md border bg-panel lg:hidden">
          <summary className="px-3 py-2 font-medium">{t('pages')}</summary>
          <nav aria-label={t('pages')} className="border-t p-2">
            <Pages parts={parts} />
          </nav>
        </details>
        <nav aria-label={t('pages')} className="max-lg:hidden">
          <Pages parts={parts} />
        </nav>
      </div>
      {children}
    </div>
  )
}
