'use client'
import { List, SearchX } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { useExample } from '../use-example.ts'
import { writeAddress } from '../write-address.ts'

/** Before the first request: how to make it, and that it will show up here by itself. */
export function NoRequests() {
  const t = useTranslations('history')
  const overview = useTranslations('overview')
  const example = useExample()
  return (
    <EmptyState icon={<List />} title={t('emptyTitle')} text={t('emptyText')}>
      <CodeBlock code={example} label={overview('exampleCall')} className="w-full text-left" />
      <p role="status" className="flex items-center gap-2 text-second">
        <span aria-hidden className="size-2 animate-wait rounded-full bg-accent" />
        {t('waiting')}
      </p>
    </EmptyState>
  )
}

/** Where the filters leave nothing over. */
export function NoMatches() {
  const t = useTranslations('history')
  return (
    <EmptyState icon={<SearchX />} title={t('noMatchTitle')} text={t('noMatchText')}>
      <Button onClick={() => writeAddress({ model: null, key: null, status: null })}>{t('clear')}</Button>
    </EmptyState>
  )
}
