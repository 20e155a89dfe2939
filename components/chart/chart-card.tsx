'use client'
import { ChartColumn, Table2 } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { cn } from '../cn.ts'
import { enumerate } from '../enumerate.ts'
import { LongName } from '../long-name.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { type Bar, COLORS, type Measure, totalOf } from './axis.ts'
import { BarChart } from './bar-chart.tsx'

interface LegendProps {
  names: string[]
  hidden: ReadonlySet<number>
  onToggle: (index: number) => void
}

function Legend({ names, hidden, onToggle }: LegendProps) {
  const t = useTranslations('chart')
  return (
    <ul aria-label={t('legend')} className="mt-3 flex flex-wrap gap-x-2 gap-y-0.5 text-sm">
      {enumerate(names).map(({ place, value: name }) => (
        <li key={place} className="flex min-w-0">
          <button
            type="button"
            aria-pressed={!hidden.has(place)}
            onClick={() => onToggle(place)}
            className="flex h-6 min-w-0 items-center gap-1.5 rounded-sm px-1 text-second transition-colors hover:bg-hover hover:text-ink"
          >
            <span
              aria-hidden
              className={cn('size-2 shrink-0 forced-color-adjust-none rounded-[2px]', hidden.has(place) && 'opacity-30')}
              style={{ background: COLORS[place] }}
            />
            <span className={cn('truncate', hidden.has(place) && 'line-through')}>
              <LongName name={name} />
            </span>
          </button>
        </li>
      ))}
    </ul>
  )
}

interface TableViewProps {
  bars: Bar[]
  names: string[]
  measure: Measure
  label: string
  head: string
  /** False if the series cannot be added up. */
  summed: boolean
}

const NONE_HIDDEN: ReadonlySet<number> = new Set()

function TableView({ bars, names, measure, label, head, summed }: TableViewProps) {
  const t = useTranslations('chart')
  const several = names.length > 1 || !summed
  return (
    <Table frameLabel={label} frameClassName="max-h-72 overflow-y-auto">
      <thead>
        <tr>
          <Th>{head}</Th>
          {several &&
            enumerate(names).map(({ place, value }) => (
              <Th key={place} figures>
                {value}
              </Th>
            ))}
          {summed && <Th figures>{t('total')}</Th>}
        </tr>
      </thead>
      <tbody>
        {bars.toReversed().map((bar) => (
          <tr key={bar.key}>
            <Td className="whitespace-nowrap">{bar.name}</Td>
            {several &&
              enumerate(names).map(({ place }) => (
                <Td key={place} figures className="text-second">
                  {measure.format(bar.values[place] ?? 0n)}
                </Td>
              ))}
            {summed && <Td figures>{measure.format(totalOf(bar, NONE_HIDDEN))}</Td>}
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

interface ChartCardProps {
  title: ReactNode
  /** The accessible description of the chart. */
  label: string
  /** What a bar stands for: the head of the first column in the table. */
  head: string
  bars: Bar[]
  names: string[]
  measure: Measure
  /** Shown if there is no data. */
  empty: ReactNode
  /** Whether the series can be added up. True by default. */
  summed?: boolean
  /** Controls next to the button that switches between chart and table. */
  children?: ReactNode
  className?: string
}

/** A bar chart with a legend that can hide series, or the same data as a table. */
export function ChartCard({
  title,
  label,
  head,
  bars,
  names,
  measure,
  empty,
  summed = true,
  children,
  className,
}: ChartCardProps) {
  const t = useTranslations('chart')
  const [asTable, setAsTable] = useState(false)
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const Icon = asTable ? ChartColumn : Table2
  const toggleLabel = asTable ? t('asChart') : t('asTable')
  const toggle = (index: number) => {
    const next = new Set(hidden)
    const name = names[index] ?? ''
    if (!next.delete(name)) next.add(name)
    setHidden(next)
  }
  // By name, so that a hidden series stays hidden when the order changes.
  const hiddenIndices = new Set(names.flatMap((name, index) => (names.length > 1 && hidden.has(name) ? [index] : [])))
  return (
    <Card className={cn('flex flex-col', className)}>
      <CardHeader title={title}>
        {/* On phones the controls have a line of their own, and the button is next to the title. */}
        <div className="flex items-center gap-2 max-sm:contents">
          {children && <div className="flex flex-wrap items-center gap-2 max-sm:order-last max-sm:basis-full">{children}</div>}
          <Tooltip text={toggleLabel}>
            <Button size="tiny" aria-label={toggleLabel} onClick={() => setAsTable(!asTable)}>
              <Icon aria-hidden className="size-3.5 text-second" />
            </Button>
          </Tooltip>
        </div>
      </CardHeader>
      <div className="mt-4 flex flex-1 flex-col">
        {bars.every(({ values }) => values.every((value) => value === 0n)) ? (
          <p className="m-auto max-w-xs py-16 text-center text-second">{empty}</p>
        ) : asTable ? (
          <TableView bars={bars} names={names} measure={measure} label={label} head={head} summed={summed} />
        ) : (
          <>
            <BarChart bars={bars} names={names} hidden={hiddenIndices} measure={measure} label={label} />
            {names.length > 1 && <Legend names={names} hidden={hiddenIndices} onToggle={toggle} />}
          </>
        )}
      </div>
    </Card>
  )
}
