'use client'
import { useTranslations } from 'next-intl'
import { type AlertEvent, alertEventPage } from '#lib/contracts/operator-alerts'
import { PagedTable } from '../../paged.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx'
import { Td, Th } from '../../ui/table.tsx'
import { Dot, Tag } from '../../ui/tag.tsx'
import { useFormat } from '../../use-format.ts'
import { usePages } from '../../use-pages.ts'

const toText = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : String(value ?? '?'))

function Row({ row }: { row: AlertEvent }) {
  const t = useTranslations('operatorAlerts')
  const format = useFormat()
  const { detail } = row
  const summary =
    row.kind === 'breaker'
      ? t('found.breaker', { models: toText(detail.models) })
      : row.kind === 'errors'
        ? t('found.errors', { failed: toText(detail.failed), requests: toText(detail.requests), percent: toText(detail.percent) })
        : t('found.balance', {
            left: toText(detail.left),
            currency: detail.currency ? toText(detail.currency).toUpperCase() : '',
          })
  const tone = row.ended === null ? 'bad' : row.ended === 'resolved' ? 'good' : 'plain'
  return (
    <tr data-alert-event={row.id}>
      <Td className="w-px whitespace-nowrap pr-2 align-top text-second">
        <time dateTime={row.firedAt}>{format.moment(row.firedAt)}</time>
      </Td>
      <Td className="w-full max-w-0 align-top">
        <span className="block break-words font-medium">
          {row.name === '' ? t(`kinds.${row.kind}`) : t('kindOf', { kind: t(`kinds.${row.kind}`), name: row.name })}
        </span>
        <span className="block break-words text-second text-sm">{summary}</span>
      </Td>
      <Td className="w-0 whitespace-nowrap text-right align-top">
        <Tag tone={tone}>
          <Dot tone={tone} className="size-1.5" />
          {t(`ended.${row.ended ?? 'firing'}`)}
        </Tag>
        {row.endedAt !== null && <span className="block text-second text-sm">{format.moment(row.endedAt)}</span>}
      </Td>
    </tr>
  )
}

/** The events that rules have found, newest first. */
export function AlertEventsCard() {
  const t = useTranslations('operatorAlerts')
  const pages = usePages('/api/operator/alert-events', alertEventPage, { refreshMs: 10_000 })
  return (
    <Card>
      <CardHeader title={t('events')} />
      <PagedTable
        pages={pages}
        label={t('events')}
        hasNoControls
        waiting={<RowsSkeleton count={2} />}
        empty={<p className="mt-1 text-second">{t('noEvents')}</p>}
        head={
          <>
            <Th>{t('firedAt')}</Th>
            <Th>{t('what')}</Th>
            <Th className="text-right">{t('stateHead')}</Th>
          </>
        }
        row={(row) => <Row key={row.id} row={row} />}
      />
    </Card>
  )
}
