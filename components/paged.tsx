'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import { LoadFailed } from './load-failed.tsx'
import { Button } from './ui/button.tsx'
import { RowsSkeleton } from './ui/rows-skeleton.tsx'
import { Table } from './ui/table.tsx'
import { useErrorText } from './use-error-text.ts'
import type { Pages } from './use-pages.ts'

interface LoadMoreProps {
  pages: Pick<Pages<unknown>, 'loadMore' | 'failed' | 'loading'>
  size?: 'small' | 'normal'
  className?: string
}

/** Loads the next page of a list, with the reason if that failed. */
export function LoadMore({ pages, size = 'normal', className }: LoadMoreProps) {
  const t = useTranslations('common')
  const errorText = useErrorText()
  const { loadMore, failed, loading } = pages
  if (loadMore === null) return null
  return (
    <div className={cn('flex flex-wrap items-center gap-x-3 gap-y-2', className)}>
      {failed !== undefined && (
        <p role="alert" className="text-bad">
          {errorText(failed)}
        </p>
      )}
      <Button size={size} disabled={loading} onClick={loadMore}>
        {t(failed === undefined ? 'more' : 'retry')}
      </Button>
    </div>
  )
}

interface PagedProps<Row> {
  pages: Pages<Row>
  /** Shown until the first page has loaded. */
  waiting?: ReactNode
  /** Shown if there are no rows. */
  empty: ReactNode
  /** Renders the rows. There is at least one. */
  children: (rows: readonly Row[]) => ReactNode
}

/** A paginated list: its rows, or why there are none, and a button for more. */
export function Paged<Row>({ pages, waiting = <RowsSkeleton />, empty, children }: PagedProps<Row>) {
  const { rows, isOld, error, reload } = pages
  return (
    <>
      {rows === undefined && (error === undefined ? waiting : <LoadFailed error={error} onRetry={reload} />)}
      {rows !== undefined && (rows.length > 0 ? children(rows) : isOld ? waiting : empty)}
      <LoadMore pages={pages} className="mt-3 mb-1" />
    </>
  )
}

interface PagedTableProps<Row> extends Omit<PagedProps<Row>, 'children'> {
  label: string
  /** True if the rows contain nothing focusable. The table's frame can then be scrolled with the keyboard. */
  hasNoControls?: boolean
  /** The column heads. */
  head: ReactNode
  row: (row: Row) => ReactNode
}

/** A paginated table. */
export function PagedTable<Row>({ label, hasNoControls = false, head, row, ...rest }: PagedTableProps<Row>) {
  return (
    <Paged {...rest}>
      {(rows) => (
        <Table {...(hasNoControls ? { frameLabel: label } : {})}>
          {!hasNoControls && <caption className="sr-only">{label}</caption>}
          <thead>
            <tr>{head}</tr>
          </thead>
          <tbody>{rows.map(row)}</tbody>
        </Table>
      )}
    </Paged>
  )
}
