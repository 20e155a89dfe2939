'use client'
import { Search } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { LoadFailed } from '../load-failed.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Input } from '../ui/input.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import type { List } from './use-list.ts'

/** The width that all pages of the operator's side have. */
export const frame = 'mx-auto w-full max-w-[1240px] px-4 py-5 sm:px-7 sm:py-6'

export const Lines = ({ count = 6 }: { count?: number }) => (
  <div className="flex flex-col">
    {Array.from({ length: count }, (_, line) => `line ${line}`).map((line) => (
      <div key={line} className="flex h-[45px] items-center justify-between gap-6 border-line-soft border-b last:border-b-0">
        <Skeleton className="h-3.5 w-40" />
        <Skeleton className="hidden h-3.5 w-56 md:block" />
        <Skeleton className="h-3.5 w-16" />
      </div>
    ))}
  </div>
)

interface ListPageProps {
  title: string
  lead: string
  list: List
  /** What makes a new row; it stands in the header and in the empty state. */
  create: ReactNode
  /** What is searched for, where it is not names; null where nothing can be. */
  searchLabel?: string | null
  /** What narrows the list, instead of the choice whether archived rows are in it. */
  filters?: ReactNode
  /** What to do where nothing fits. */
  noneText?: string
  empty: { icon: ReactNode; title: string; text: string }
  children: ReactNode
}

/** A page that is a list: searched, paged, with what is archived in it when asked for. */
export function ListPage({ title, lead, list, create, searchLabel, filters, noneText, empty, children }: ListPageProps) {
  const t = useTranslations('operator')
  const { rows, error, filtered } = list
  const label = searchLabel === undefined ? t('search') : searchLabel
  const nothing = rows?.length === 0
  return (
    <>
      <PageHeader title={title}>{create}</PageHeader>
      <div className={frame}>
        <p className="max-w-prose text-second">{lead}</p>
        <div className="mt-4 mb-3 flex flex-wrap items-center gap-x-5 gap-y-3">
          {label !== null && (
            <div className="relative w-full sm:w-72">
              <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-second" />
              <Input
                type="search"
                aria-label={label}
                placeholder={label}
                value={list.search}
                onChange={(event) => list.setSearch(event.target.value)}
                className="pl-9"
              />
            </div>
          )}
          {filters ?? <Checkbox label={t('withArchived')} checked={list.archived} onChange={list.setArchived} />}
        </div>
        <Card className="py-2 sm:py-2">
          {rows === undefined && (error === undefined ? <Lines /> : <LoadFailed error={error} onRetry={list.retry} />)}
          {nothing &&
            (filtered ? (
              <EmptyState icon={<Search />} title={t('noneTitle')} text={noneText ?? t('noneText')} />
            ) : (
              <EmptyState {...empty}>{create}</EmptyState>
            ))}
          {rows !== undefined && !nothing && children}
          {list.more !== null && (
            <Button className="my-2" disabled={list.loading} onClick={list.more}>
              {t('more')}
            </Button>
          )}
        </Card>
      </div>
    </>
  )
}
