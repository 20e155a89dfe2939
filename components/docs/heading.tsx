import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'

/** A heading with an anchor to link to. */
export function Heading({ id, children }: { id: string; children: ReactNode }) {
  const t = useTranslations('docs')
  return (
    <h2 id={id} className="group mt-5 scroll-mt-20 font-[580] text-[1.125rem] leading-6 tracking-[-0.01em]">
      {children}{' '}
      <a
        href={`#${id}`}
        aria-label={t('linkTo', { name: String(children) })}
        className="text-second opacity-0 transition-opacity focus-visible:opacity-100 group-hover:opacity-100"
      >
        #
      </a>
    </h2>
  )
}
