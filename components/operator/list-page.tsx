'use client'
import { Search } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ComponentProps, ReactNode } from 'react'
import { PagedTable } from '../paged.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { Card } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import type { List } from './use-list.ts'

/** The common width of all operator pages. */
export const pageFrameStyles = 'mx-auto w-full max-w-[1240px] px-4 py-5 sm:px-7 sm:py-6'

interface ListPageProps<Row> {
  title: string
  lead: string
  list: List<Row>
  /** The button that creates a row. It is in the header and in the empty state. */
  create: ReactNode
  /** The label of the search if it does not search names. Null if there is no search. */
  searchLabel?: string | null
  /** Filters that replace the switch for archived rows. */
  filters?: ReactNode
  /** What to do if nothing matches. */
  noneText?: string
  empty: { icon: ReactNode; title: string; text: string }
  /** The column heads and the function that renders a row. `still` as in `PagedTable`. */
  table: Pick<ComponentProps<typeof PagedTable<Row>>, 'hasNoControls' | 'head' | 'row'>
}

/** A list page: searchable, paginated, with archived rows if requested. */
export function ListPage<Row>(props: ListPageProps<Row>) {
  const { title, lead, list, create, searchLabel, filters, noneText, empty, table } = props
  const t = useTranslations('operator')
  const label = searchLabel === undefined ? t('search') : searchLabel
  return (
    <>
      <PageHeader title={title}>{create}</PageHeader>
      <div className={pageFrameStyles}>
        <p className="max-w-prose text-second">{lead}</p>
        <div className="mt-4 mb-3 flex flex-wrap items-center gap-x-5 gap-y-3">
          {label !== null && <SearchInput label={label} value={list.search} onChange={list.setSearch} />}
          {filters ?? <Checkbox label={t('withArchived')} checked={list.archived} onChange={list.setArchived} />}
        </div>
        <Card className="py-2 sm:py-2">
          <PagedTable
            {...table}
            pages={list}
            label={title}
            empty={
              list.filtered ? (
                <EmptyState icon={<Search />} title={t('noneTitle')} text={noneText ?? t('noneText')} />
              ) : (
                <EmptyState {...empty}>{create}</EmptyState>
              )
            }
          />
        </Card>
      </div>
    </>
  )
}
