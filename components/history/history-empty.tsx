'use client'
import { List, SearchX } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { useExample } from '../use-example.ts'
import { useFormat } from '../use-format.ts'
import { clearFilters } from './search-field.tsx'

/** Shown before the first request: how to make one, and that it will appear here by itself. */
export function NoRequests() {
  const t = useTranslations('history')
  const overview = useTranslations('overview')
  const example = useExample()
  return (
    <EmptyState icon={<List />} title={t('emptyTitle')} text={t('emptyText')}>
      <CodeBlock code={example} label={overview('exampleCall')} className="w-full text-left" />
      <p role="status" className="flex items-center gap-2 text-second">
        <span aria-hidden className="size-2 animate-wait forced-color-adjust-none rounded-full bg-accent" />
        {t('waiting')}
      </p>
    </EmptyState>
  )
}

interface NoMatchesProps {
  /** The time down to which requests were searched. Null if all were. */
  lookedTo: string | null
  loading: boolean
  onMore: () => void
}

/** Shown if no request matches the filters, or none so far. */
export function NoMatches({ lookedTo, loading, onMore }: NoMatchesProps) {
  const t = useTranslations('history')
  const tList = useTranslations('requests.list')
  const format = useFormat()
  const text = lookedTo === null ? t('noMatchText') : tList('noneSince', { time: format.moment(lookedTo) })
  return (
    <EmptyState icon={<SearchX />} title={t('noMatchTitle')} text={text}>
      <span className="flex flex-wrap justify-center gap-2">
        {lookedTo !== null && (
          <Button tone="primary" disabled={loading} onClick={onMore}>
            {loading ? t('loadingMore') : tList('lookFurther')}
          </Button>
        )}
        <Button onClick={clearFilters}>{t('clear')}</Button>
      </span>
    </EmptyState>
  )
}
