'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { cn } from './cn.ts'
import { LoadFailed } from './load-failed.tsx'
import { Button } from './ui/button.tsx'
import { Lines } from './ui/lines.tsx'
import { Table } from './ui/table.tsx'
import { useErrorText } from './use-error-text.ts'
import type { Pages } from './use-pages.ts'

interface MoreProps {
  pages: Pick<Pages<unknown>, 'more' | 'failed' | 'loading'>
  size?: 'small' | 'normal'
  className?: string
}

/** The way to the next page of a list, with the reason where that did not come. */
export function More({ pages, size = 'normal', className }: MoreProps) {
  const t = useTranslations('common')
  const errorText = useErrorText()
  const { more, failed, loading } = pages
  if (more === null) return null
  return (
    <div className={cn('flex flex-wrap items-center gap-x-3 gap-y-2', className)}>
      {failed !== undefined && (
        <p role="alert" className="text-bad">
          {errorText(failed)}
        </p>
      )}
      <Button size={size} disabled={loading} onClick={more}>
        {t(failed === undefined ? 'more' : 'retry')}
      </Button>
    </div>
  )
}

interface PagedProps<Row> {
  pages: Pages<Row>
  /** What stands there until the first page is. */
  waiting?: ReactNode
  /** What stands there where there is no row. */
  empty: ReactNode
  /** Draws the rows, of which there is at least one. */
  children: (rows: readonly Row[]) => ReactNode
}

/** A list that is read page by page: its rows, or why there are none, and the way to more of them. */
export function Paged<Row>({ pages, waiting = <Lines />, empty, children }: PagedProps<Row>) {
  const { rows, isOld, error, reload } = pages
  return (
    <>
      {rows === undefined && (error === undefined ? waiting : <LoadFailed error={error} onRetry={reload} />)}
      {rows !== undefined && (rows.length > 0 ? children(rows) : isOld ? waiting : empty)}
      <More pages={pages} className="mt-3 mb-1" />
    </>
  )
}

interface PagedTableProps<Row> extends Omit<PagedProps<Row>, 'children'> {
  label: string
  /** A row has nothing in it to put the focus on: the table's frame is scrolled with the keyboard then. */
  still?: boolean
  /** The heads of its columns. */
  head: ReactNode
  row: (row: Row) => ReactNode
}

/** A table that is read page by page. */
export function PagedTable<Row>({ label, still = false, head, row, ...rest }: PagedTableProps<Row>) {
  return (
    <Paged {...rest}>
      {(rows) => (
        <Table {...(still ? { frameLabel: label } : {})}>
          {!still && <caption className="sr-only">{label}</caption>}
          <thead>
            <tr>{head}</tr>
          </thead>
          <tbody>{rows.map(row)}</tbody>
        </Table>
      )}
    </Paged>
  )
}
