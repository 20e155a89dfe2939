'use client'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ComponentType, type MouseEvent, type Ref, useEffect, useState } from 'react'
import type { RequestRow } from '#lib/contracts/requests'
import { cn } from '../cn.ts'
import { LongName } from '../long-name.tsx'
import { Money } from '../money.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { Dot, Tag } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'
import { useModelName } from '../use-model-name.ts'
import { filterQuery, readFilters } from './address.ts'
import type { LongRowsProps, MeasuredLine, RowsHandle } from './long-rows.tsx'
import { useStatus } from './use-status.ts'

interface RequestsTableProps {
  rows: readonly RequestRow[]
  openId: string | null
  onOpen: (id: string) => void
  /** True while the panel stands beside the table and takes its room. */
  narrow: boolean
  /** Null while all rows are drawn. */
  handle?: Ref<RowsHandle>
}

/** As many rows as are all drawn. */
const MOST_DRAWN = 200

/** What draws a part of the rows, once there are many; null until it is loaded, when all are drawn. */
function useLongRows(many: boolean) {
  const [found, setFound] = useState<{ LongRows: ComponentType<LongRowsProps> } | null>(null)
  useEffect(() => {
    // Without it the list is slow, and nothing else.
    if (many) void import('./long-rows.tsx').then(setFound, () => undefined)
  }, [many])
  return many ? (found?.LongRows ?? null) : null
}

/** The columns that give way first: on small windows, and sooner while the panel is open. */
const columns = (narrow: boolean) => ({
  key: narrow ? 'max-xl:hidden' : 'max-md:hidden',
  units: narrow ? 'max-2xl:hidden' : 'max-sm:hidden',
  took: 'max-sm:hidden',
})

/** What went in is counted in these; the rest is what was made. */
const GIVEN = new Set(['character', 'audio_second'])

/** What went in and came out: tokens, or where none were counted, pieces. */
function useUsed() {
  const t = useTranslations('requests.list.pieces')
  const format = useFormat()
  return ({ inputUnits, outputUnits, pieces }: RequestRow): [given: string, made: string] => {
    const tokens = (count: number) => (count === 0 ? '–' : format.count(count))
    if (pieces === null) return [tokens(inputUnits), tokens(outputUnits)]
    const words = t(pieces.unit, { count: pieces.count })
    return GIVEN.has(pieces.unit) ? [words, '–'] : ['–', words]
  }
}

interface RequestLineProps extends Omit<RequestsTableProps, 'rows' | 'handle'> {
  row: RequestRow
  /** Of a line among many, of which not all are drawn. */
  measured?: MeasuredLine
  /** The filters, which a new tab has as well. */
  query: string
}

function RequestLine({ row, openId, onOpen, narrow, query, measured }: RequestLineProps) {
  const t = useTranslations('history')
  const format = useFormat()
  const modelName = useModelName()
  const { tone, why } = useStatus()(row)
  const [given, made] = useUsed()(row)
  const hide = columns(narrow)
  const open = row.id === openId
  // The link is there for the keyboard and for a new tab; a plain click only changes the address.
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    onOpen(row.id)
  }
  return (
    <tr {...measured} className={cn('relative transition-colors hover:bg-hover', open && 'bg-hover')}>
      <Td className="w-0 whitespace-nowrap max-sm:align-top">
        {/* Within a cell: what a row itself has before its cells takes the place of one. */}
        {open && <span aria-hidden="true" className="absolute inset-y-0 -left-[3px] w-[3px] bg-accent" />}
        <a
          href={`?${query === '' ? '' : `${query}&`}id=${encodeURIComponent(row.id)}`}
          data-row={row.id}
          aria-current={open}
          aria-label={t('openRow', { time: format.moment(row.at), model: modelName(row.model) })}
          onClick={follow}
          className="mono inline-flex items-center gap-2 text-second after:absolute after:inset-0 focus-visible:outline-none focus-visible:after:rounded-sm focus-visible:after:outline-2 focus-visible:after:outline-accent focus-visible:after:-outline-offset-2"
        >
          <Dot tone={tone} />
          {format.moment(row.at)}
        </a>
      </Td>
      <Td className="min-w-0">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className={cn('[overflow-wrap:anywhere]', row.model === '' && 'text-second')}>
            <LongName name={modelName(row.model)} />
          </span>
          {why !== null && (
            <Tag tone={tone} className="whitespace-normal">
              {why}
            </Tag>
          )}
        </span>
      </Td>
      <Td className={cn('max-w-36 truncate text-second', hide.key)}>{row.keyName}</Td>
      <Td figures className={cn('text-second', hide.units)}>
        {given}
      </Td>
      <Td figures className={cn('text-second', hide.units)}>
        {made}
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
export function RequestsTable({ rows, handle, ...line }: RequestsTableProps) {
  const t = useTranslations('history')
  const hide = columns(line.narrow)
  const LongRows = useLongRows(rows.length > MOST_DRAWN)
  const query = filterQuery(readFilters(new URLSearchParams(useSearchParams().toString())))
  return (
    <Table aria-label={t('title')} {...(LongRows !== null && { 'aria-rowcount': rows.length + 1 })}>
      <thead>
        <tr {...(LongRows !== null && { 'aria-rowindex': 1 })}>
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
      {LongRows !== null ? (
        <LongRows
          rows={rows}
          {...(handle !== undefined && { handle })}
          draw={(row, measured) => <RequestLine key={row.id} row={row} {...line} query={query} measured={measured} />}
        />
      ) : (
        <tbody>
          {rows.map((row) => (
            <RequestLine key={row.id} row={row} {...line} query={query} />
          ))}
        </tbody>
      )}
    </Table>
  )
}
