'use client'
import { ArrowDown } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { MAX_GROUPS, MAX_SERIES, type TrafficFigures, type TrafficReport, type TrafficSort } from '#lib/contracts/traffic'
import { COLORS } from '../../chart/axis.ts'
import { cn } from '../../cn.ts'
import { LongName } from '../../long-name.tsx'
import { Money } from '../../money.tsx'
import { Sparkline } from '../../overview/sparkline.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import { updateSearchParams } from '../../update-search-params.ts'
import { type Format, useFormat } from '../../use-format.ts'
import { BreakerTag, isNotClosed } from '../connections/breaker-state.tsx'
import { BreakerSwitch } from '../connections/breaker-switch.tsx'
import { groupName } from './traffic-chart.tsx'
import { formatShare, marginOf } from './traffic-figures.tsx'

type Group = TrafficReport['groups'][number]

const timesOf = ({ p50, p95 }: TrafficFigures['first'], format: Format): string =>
  p50 === null || p95 === null ? '–' : `${format.duration(p50)} / ${format.duration(p95)}`

const volumeOf = (group: TrafficFigures, counts: TrafficReport['counts']): number =>
  counts === 'calls' ? group.attempts : group.requests

const failedOf = (group: TrafficFigures, counts: TrafficReport['counts']): number =>
  counts === 'calls' ? group.attemptFailures : group.vendorErrors + group.houseErrors

/** A column head that sorts. There is only one direction, largest first. */
function SortHead({ sort, now, text, className }: { sort: TrafficSort; now: TrafficSort; text: string; className?: string }) {
  const t = useTranslations('traffic')
  const isOn = sort === now
  return (
    <Th figures className={className} aria-sort={isOn ? 'descending' : 'none'}>
      <button
        type="button"
        onClick={() => updateSearchParams({ sort: sort === 'volume' ? null : sort })}
        className={cn('inline-flex min-h-6 items-center gap-1 rounded-sm hover:text-ink', isOn && 'font-medium text-ink')}
      >
        {isOn && <ArrowDown aria-hidden className="size-3" />}
        {text}
        {isOn && <span className="sr-only">{t('sortedDown')}</span>}
      </button>
    </Th>
  )
}

const HIDDEN_COLUMNS = {
  first: 'max-lg:hidden',
  took: 'max-xl:hidden',
  tokens: 'max-xl:hidden',
  revenue: 'max-md:hidden',
  margin: 'max-lg:hidden',
}

function Head({ report }: { report: TrafficReport }) {
  const t = useTranslations('traffic')
  const { by, sort, counts } = report
  return (
    <thead>
      <tr>
        <Th>{t(`by.${by}`)}</Th>
        <Th className="w-[12%] min-w-20 max-sm:hidden">{t('columns.course')}</Th>
        <SortHead sort="volume" now={sort} text={t(`columns.${counts}`)} />
        <SortHead sort="failed" now={sort} text={t('columns.failed')} />
        {(['first', 'took', 'tokens', 'revenue', 'margin'] as const).map((column) => (
          <SortHead key={column} sort={column} now={sort} text={t(`columns.${column}`)} className={HIDDEN_COLUMNS[column]} />
        ))}
      </tr>
    </thead>
  )
}

interface RowProps {
  group: Group
  place: number
  report: TrafficReport
  onPick: ((id: string) => void) | null
  onChanged: () => void
}

/**
 * The state of a deployment's breakers and the actions on them. Below the name, because a separate column would leave it no
 * room.
 */
function Breaker({ group, onChanged }: Pick<RowProps, 'group' | 'onChanged'>) {
  const { breaker } = group
  if (breaker === null) return null
  return (
    <span className="mt-1.5 ml-[17px] flex flex-wrap items-center gap-2">
      <BreakerTag breaker={breaker} />
      <BreakerSwitch
        deploymentId={group.id}
        name={groupName(group)}
        held={breaker.mode === 'held'}
        canReset={isNotClosed(breaker)}
        onDone={onChanged}
      />
    </span>
  )
}

/** The name of a group with its color in the chart. If possible, a link narrows the page to it. */
function NameCell({ group, color, onPick, onChanged }: Pick<RowProps, 'group' | 'onPick' | 'onChanged'> & { color: string }) {
  const t = useTranslations('traffic')
  const label = (
    <>
      <span className="block [overflow-wrap:anywhere]">
        <LongName name={group.name} />
      </span>
      {group.modelId !== null && (
        <span className="block text-second text-sm [overflow-wrap:anywhere]">
          {group.modelId} · <span className="mono">{group.upstreamModel}</span>
        </span>
      )}
    </>
  )
  return (
    <Td className="max-w-56 sm:max-w-none xl:min-w-44">
      <span className="flex min-w-0 items-start gap-2">
        <span
          aria-hidden
          className="mt-[7px] size-[9px] shrink-0 forced-color-adjust-none rounded-[2.5px]"
          style={{ background: color }}
        />
        {onPick === null ? (
          <span className="min-w-0">{label}</span>
        ) : (
          <button
            type="button"
            aria-label={t('narrowTo', { name: groupName(group) })}
            onClick={() => onPick(group.id)}
            className="min-h-6 min-w-0 text-left hover:underline hover:underline-offset-4"
          >
            {label}
          </button>
        )}
      </span>
      <Breaker group={group} onChanged={onChanged} />
    </Td>
  )
}

function Row({ group, place, report, onPick, onChanged }: RowProps) {
  const format = useFormat()
  const { counts } = report
  const [volume, failed] = [volumeOf(group, counts), failedOf(group, counts)]
  const share = volume === 0 ? 0 : failed / volume
  const color = COLORS[Math.min(place, MAX_SERIES)] ?? ''
  return (
    <tr data-group={group.id}>
      <NameCell group={group} color={color} onPick={onPick} onChanged={onChanged} />
      <Td className="max-sm:hidden">
        <Sparkline values={group.spark} color={color} />
      </Td>
      <Td figures>{volume < 1_000_000 ? format.count(volume) : format.compact(volume)}</Td>
      <Td figures className={share > 0.05 ? 'font-medium text-bad' : 'text-second'}>
        {failed === 0 ? '–' : formatShare(share, format)}
      </Td>
      <Td figures className={cn('text-second', HIDDEN_COLUMNS.first)}>
        {timesOf(group.first, format)}
      </Td>
      <Td figures className={cn('text-second', HIDDEN_COLUMNS.took)}>
        {timesOf(group.took, format)}
      </Td>
      <Td figures className={cn('text-second', HIDDEN_COLUMNS.tokens)}>
        {format.compact(group.inputTokens + group.outputTokens)}
      </Td>
      <Td figures className={HIDDEN_COLUMNS.revenue}>
        <Money nano={group.chargedNano} />
      </Td>
      <Td figures className={cn('text-second', HIDDEN_COLUMNS.margin)}>
        <Money nano={marginOf(group)} />
      </Td>
    </tr>
  )
}

interface TrafficGroupsProps {
  report: TrafficReport
  /** Narrows the page to one of the groups. Null if it already is. */
  onPick: ((id: string) => void) | null
  onChanged: () => void
}

/** The traffic by group, sorted by the chosen column, each with its trend. */
export function TrafficGroups({ report, onPick, onChanged }: TrafficGroupsProps) {
  const t = useTranslations('traffic')
  const { groups, by, more } = report
  const title = t('groups', { by: t(`byWords.${by}`) })
  return (
    <Card>
      <CardHeader title={title} />
      <Table className="mt-1" frameLabel={title}>
        <Head report={report} />
        <tbody>
          {groups.map((group, place) => (
            <Row key={group.id} group={group} place={place} report={report} onPick={onPick} onChanged={onChanged} />
          ))}
        </tbody>
      </Table>
      {more && <p className="mt-3 text-second text-sm">{t('more', { count: MAX_GROUPS })}</p>}
    </Card>
  )
}
