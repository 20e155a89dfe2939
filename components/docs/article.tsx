import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'

export interface Anchor {
  id: string
  text: string
}

interface ArticleProps {
  title: ReactNode
  lead?: ReactNode
  anchors: readonly Anchor[]
  children: ReactNode
}

/** A documentation page with its table of contents next to it. */
export function Article({ title, lead, anchors, children }: ArticleProps) {
  const t = useTranslations('docs')
  return (
    // After a click in the long list of pages, the new page is scrolled to this element, which has to end up below the site's
    // header.
    <div className="grid min-w-0 scroll-mt-20 gap-x-10 xl:grid-cols-[minmax(0,1fr)_12rem]">
      <article className="min-w-0 max-w-[52rem] pb-10">
        <h1 className="break-words font-[580] text-3xl tracking-[-0.02em]">{title}</h1>
        {lead !== undefined && <p className="mt-1.5 mb-6 text-lg text-second leading-6">{lead}</p>}
        {children}
      </article>
      {anchors.length > 1 && (
        <nav aria-label={t('onThisPage')} className="sticky top-[5.25rem] self-start text-sm max-xl:hidden">
          <p className="mb-2 text-second text-xs">{t('onThisPage')}</p>
          <ul className="flex flex-col gap-1.5 border-l pl-3">
            {anchors.map(({ id, text }) => (
              <li key={id}>
                <a href={`#${id}`} className="text-second hover:text-ink">
                  {text}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  )
}
