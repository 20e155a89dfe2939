'use client'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { MouseEvent } from 'react'
import type { RequestRow } from '#lib/contracts/requests'
import { cn } from '../cn.ts'
import { Money } from '../money.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { Dot, Tag } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'
import { filterQuery, readFilters } from './address.ts'
import { useStatus } from './use-status.ts'

interface RequestsTableProps {
  rows: RequestRow[]
  openId: string | null
  onOpen: (id: string) => void
  /** True while the panel stands beside the table and takes its room. */
  narrow: boolean
}

/** The columns that give way first: on small windows, and sooner while the panel is open. */
const columns = (narrow: boolean) => ({
  key: narrow ? 'max-xl:hidden' : 'max-md:hidden',
  units: narrow ? 'max-2xl:hidden' : 'max-sm:hidden',
  took: 'max-sm:hidden',
})

interface RequestLineProps extends Omit<RequestsTableProps, 'rows'> {
  row: RequestRow
  /** The filters, which a new tab has as well. */
  query: string
}

function RequestLine({ row, openId, onOpen, narrow, query }: RequestLineProps) {
  const t = useTranslations('history')
  const format = useFormat()
  const { tone, why } = useStatus()(row)
  const hide = columns(narrow)
  const open = row.id === openId
  // The link is there for the keyboard and for a new tab; a plain click only changes the address.
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    onOpen(row.id)
  }
  return (
    <tr className={cn('relative transition-colors hover:bg-hover', open && 'bg-hover')}>
      <Td className="w-0 whitespace-nowrap max-sm:align-top">
        <a
          href={`?${query === '' ? '' : `${query}&`}id=${encodeURIComponent(row.id)}`}
          data-row={row.id}
          aria-current={open}
          aria-label={t('openRow', { time: format.moment(row.at), model: row.model })}
          onClick={follow}
          className="mono inline-flex items-center gap-2 text-second after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
        >
          <Dot tone={tone} />
          {format.moment(row.at)}
        </a>
      </Td>
      <Td className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="[overflow-wrap:anywhere]">{row.model}</span>
          {why !== null && <Tag tone={tone}>{why}</Tag>}
        </span>
      </Td>
      <Td className={cn('max-w-36 truncate text-second', hide.key)}>{row.keyName}</Td>
      <Td figures className={cn('text-second', hide.units)}>
        {row.inputUnits === 0 ? '–' : format.count(row.inputUnits)}
      </Td>
      <Td figures className={cn('text-second', hide.units)}>
        {row.outputUnits === 0 && tone === 'good' ? '–' : format.count(row.outputUnits)}
      </Td>
      <Td figures className={hide.took}>
        {format.took(row.tookMs)}
      </Td>
      <Td figures>
        <Money nano={row.chargedNano} style="row" className="mono" />
      </Td>
    </tr>
  )
}

/** The requests, newest first; a row opens its detail. */
export function RequestsTable(props: RequestsTableProps) {
  const t = useTranslations('history')
  const hide = columns(props.narrow)
  const query = filterQuery(readFilters(new URLSearchParams(useSearchParams().toString())))
  return (
    <Table aria-label={t('title')}>
      <thead>
        <tr>
          <Th>{t('time')}</Th>
          <Th>{t('model')}</Th>
          <Th className={hide.key}>{t('key')}</Th>
          <Th figures className={hide.units}>
            {t('in')}
          </Th>
          <Th figures className={hide.units}>
            {t('out')}
          </Th>
          <Th figures className={hide.took}>
            {t('took')}
          </Th>
          <Th figures>{t('cost')}</Th>
        </tr>
      </thead>
      <tbody>
        {props.rows.map((row) => (
          <RequestLine key={row.id} row={row} openId={props.openId} onOpen={props.onOpen} narrow={props.narrow} query={query} />
        ))}
      </tbody>
    </Table>
  )
}
