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
import { filterQuery, readFilters } from './filter-params.ts'
import type { OpenRequest } from './use-open-request.ts'
import { useStatus } from './use-status.ts'
import type { MeasuredRowProps, RowsHandle, VirtualRowsProps } from './virtual-rows.tsx'

interface RequestsTableProps {
  rows: readonly RequestRow[]
  openId: string | null
  onOpen: OpenRequest
  /** True while the panel is open next to the table and takes some of its width. */
  narrow: boolean
  /** Null while all rows are rendered. */
  handle?: Ref<RowsHandle>
}

/** Up to this many rows are all rendered. */
const MAX_DRAWN = 200

/** The component that renders only a part of many rows. Null until it has loaded; all rows are rendered until then. */
function useVirtualRows(many: boolean) {
  const [loaded, setFound] = useState<{ VirtualRows: ComponentType<VirtualRowsProps> } | null>(null)
  useEffect(() => {
    // If it cannot be loaded, the list is only slow.
    if (many) void import('./virtual-rows.tsx').then(setFound, () => undefined)
  }, [many])
  return many ? (loaded?.VirtualRows ?? null) : null
}

/** The columns that are hidden first: in small windows, and in larger ones too while the panel is open. */
const hiddenColumns = (narrow: boolean) => ({
  key: narrow ? 'max-xl:hidden' : 'max-md:hidden',
  units: narrow ? 'max-2xl:hidden' : 'max-sm:hidden',
  took: 'max-sm:hidden',
})

/** The units that measure input. All others measure output. */
const INPUT_UNITS = new Set(['character', 'audio_second'])

/** Input and output of a request: tokens, or pieces if no tokens are counted. */
function useUsageTexts() {
  const t = useTranslations('requests.list.pieces')
  const format = useFormat()
  return ({ inputUnits, outputUnits, pieces }: RequestRow): [given: string, made: string] => {
    const tokens = (count: number) => (count === 0 ? '–' : format.count(count))
    if (pieces === null) return [tokens(inputUnits), tokens(outputUnits)]
    const pieceText = t(pieces.unit, { count: pieces.count })
    return INPUT_UNITS.has(pieces.unit) ? [pieceText, '–'] : ['–', pieceText]
  }
}

interface RequestLineProps extends Omit<RequestsTableProps, 'rows' | 'handle'> {
  row: RequestRow
  /** Set if the list is long and only a part of it is rendered. */
  measured?: MeasuredRowProps
  /** The filters, which a new tab opens with too. */
  query: string
}

function RequestLine({ row, openId, onOpen, narrow, query, measured }: RequestLineProps) {
  const t = useTranslations('history')
  const format = useFormat()
  const modelName = useModelName()
  const { tone, reason } = useStatus()(row)
  const [inputText, outputText] = useUsageTexts()(row)
  const hide = hiddenColumns(narrow)
  const open = row.id === openId
  // The link is for the keyboard and for new tabs. A plain click only changes the address.
  const follow = (event: MouseEvent) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    // The Enter key clicks a link too, but not with a button of the mouse.
    onOpen(row.id, { byKeyboard: event.detail === 0 })
  }
  return (
    <tr {...measured} className={cn('relative transition-colors hover:bg-hover', open && 'bg-hover')}>
      <Td className="w-0 whitespace-nowrap max-sm:align-top">
        {/* Inside a cell: an element of the row before its cells would take the place of one. */}
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
          {reason !== null && (
            <Tag tone={tone} className="whitespace-normal">
              {reason}
            </Tag>
          )}
        </span>
      </Td>
      <Td title={row.keyName} className={cn('max-w-36 truncate text-second', hide.key)}>
        <bdi>{row.keyName}</bdi>
      </Td>
      <Td figures className={cn('text-second', hide.units)}>
        {inputText}
      </Td>
      <Td figures className={cn('text-second', hide.units)}>
        {outputText}
      </Td>
      <Td figures className={hide.took}>
        {format.shortDuration(row.tookMs)}
      </Td>
      <Td figures>
        <Money nano={row.chargedNano} style="row" className="mono" />
      </Td>
    </tr>
  )
}

/** The requests, newest first. A click on a row opens its details. */
export function RequestsTable({ rows, handle, ...line }: RequestsTableProps) {
  const t = useTranslations('history')
  const hide = hiddenColumns(line.narrow)
  const VirtualRows = useVirtualRows(rows.length > MAX_DRAWN)
  const query = filterQuery(readFilters(new URLSearchParams(useSearchParams().toString())))
  return (
    <Table aria-label={t('title')} {...(VirtualRows !== null && { 'aria-rowcount': rows.length + 1 })}>
      <thead>
        <tr {...(VirtualRows !== null && { 'aria-rowindex': 1 })}>
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
      {VirtualRows !== null ? (
        <VirtualRows
          rows={rows}
          {...(handle !== undefined && { handle })}
          renderRow={(row, measured) => <RequestLine key={row.id} row={row} {...line} query={query} measured={measured} />}
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
