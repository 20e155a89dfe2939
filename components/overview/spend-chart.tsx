'use client'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useRef, useState } from 'react'
import { formatMoney } from '#lib/domain/format-money'
import { cn } from '../cn.ts'
import { type Format, useFormat } from '../use-format.ts'
import { type Bar, COLORS, labelledDays, type Metric, ticks } from './series.ts'

/** A value of a series in the words of its metric. */
export function writeValue(value: bigint, metric: Metric, format: Format): string {
  return metric === 'money' ? formatMoney(value).text : format.count(Number(value))
}

function writeTick(value: number, metric: Metric, format: Format): string {
  if (metric !== 'money') return format.compact(value)
  const money = formatMoney(BigInt(Math.round(value)), 'exact').text
  return money.replace(/\.00$/, '')
}

interface DayNoteProps {
  bar: Bar
  names: string[]
  metric: Metric
  /** From 0 to 1, where the day stands; the note opens towards the middle. */
  place: number
}

function DayNote({ bar, names, metric, place }: DayNoteProps) {
  const t = useTranslations('overview')
  const format = useFormat()
  const parts = bar.values.map((value, index) => ({ value, index })).filter(({ value }) => value > 0n)
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-0 z-10 w-56 animate-appear rounded-md border bg-panel p-2.5 text-sm shadow-float"
      style={place < 0.5 ? { left: `calc(${place * 100}% + 12px)` } : { right: `calc(${(1 - place) * 100}% + 12px)` }}
    >
      <p className="figures mb-1.5 flex justify-between gap-3 font-medium">
        <span>{format.day(bar.day)}</span>
        <span>{writeValue(bar.total, metric, format)}</span>
      </p>
      {parts.map(({ value, index }) => (
        <p key={index} className="figures flex items-center gap-2 text-second leading-5">
          <span className="size-2 shrink-0 rounded-[2px]" style={{ background: COLORS[index] }} />
          <span className="min-w-0 flex-1 truncate">{names[index] ?? t('otherModels')}</span>
          <span>{writeValue(value, metric, format)}</span>
        </p>
      ))}
    </div>
  )
}

function Axis({ marks, labels }: { marks: number[]; labels: string[] }) {
  const top = marks.at(-1) ?? 1
  return (
    <div aria-hidden className="absolute inset-0">
      {marks.map((mark, index) => (
        <div key={mark} className="absolute inset-x-0" style={{ bottom: `${(mark / top) * 100}%` }}>
          <span className="figures absolute -top-2 right-full whitespace-nowrap pr-2.5 text-second text-xs">{labels[index]}</span>
          <div className={cn('border-t', mark === 0 ? 'border-line' : 'border-line-soft')} />
        </div>
      ))}
    </div>
  )
}

const MOVES: Record<string, (index: number, last: number) => number> = {
  ArrowLeft: (index) => Math.max(0, index - 1),
  ArrowRight: (index, last) => Math.min(last, index + 1),
  Home: () => 0,
  End: (_, last) => last,
}

interface DayBarProps {
  bar: Bar
  /** The value at the axis' end. */
  top: number
  name: string
  /** Whether the Tab key stops here. */
  isStop: boolean
  isShown: boolean
  onFocus: () => void
  onPoint: () => void
  onLeave: () => void
}

const DayBar = ({ bar, top, name, isStop, isShown, onFocus, onPoint, onLeave }: DayBarProps) => (
  <button
    type="button"
    tabIndex={isStop ? 0 : -1}
    aria-label={name}
    onFocus={onFocus}
    onBlur={onLeave}
    onMouseEnter={onPoint}
    className={cn('flex h-full min-w-0 flex-1 justify-center rounded-sm', isShown && 'bg-hover')}
  >
    <span className="flex h-full w-[68%] max-w-10 flex-col-reverse gap-px">
      {bar.values.map((value, series) =>
        value === 0n ? null : (
          <span
            key={COLORS[series]}
            className="min-h-px shrink-0 rounded-[1.5px]"
            style={{ height: `calc(${(Number(value) / top) * 100}% - 1px)`, background: COLORS[series] }}
          />
        ),
      )}
    </span>
  </button>
)

interface SpendChartProps {
  bars: Bar[]
  names: string[]
  metric: Metric
}

/** Bars of days, stacked by model. One stop of the Tab key; arrow keys go from day to day. */
export function SpendChart({ bars, names, metric }: SpendChartProps) {
  const t = useTranslations('overview')
  const format = useFormat()
  const [shown, setShown] = useState<number | null>(null)
  const [stop, setStop] = useState(bars.length - 1)
  const row = useRef<HTMLDivElement>(null)
  const marks = ticks(Math.max(0, ...bars.map((bar) => Number(bar.total))))
  const top = marks.at(-1) ?? 1
  const labels = marks.map((mark) => writeTick(mark, metric, format))
  const last = bars.length - 1
  const move = (event: KeyboardEvent) => {
    const next = MOVES[event.key]?.(stop, last)
    if (next === undefined) return
    event.preventDefault()
    setStop(next)
    row.current?.querySelectorAll('button')[next]?.focus()
  }
  const shownBar = shown === null ? undefined : bars[shown]
  return (
    // As wide as the longest label needs: sandbox prices have many decimals, others two.
    <div
      className="flex flex-1 flex-col pt-2"
      style={{ paddingLeft: `${Math.max(...labels.map((label) => label.length)) * 0.43 + 0.75}rem` }}
    >
      <div className="relative min-h-44 flex-1">
        <Axis marks={marks} labels={labels} />
        <div
          ref={row}
          role="toolbar"
          aria-label={t(`chart.${metric}`)}
          onKeyDown={move}
          onMouseLeave={() => setShown(null)}
          className="absolute inset-0 flex"
        >
          {bars.map((bar, index) => (
            <DayBar
              key={bar.day}
              bar={bar}
              top={top}
              name={t('dayTotal', { day: format.day(bar.day), total: writeValue(bar.total, metric, format) })}
              isStop={index === Math.min(stop, last)}
              isShown={shown === index}
              onFocus={() => {
                setStop(index)
                setShown(index)
              }}
              onLeave={() => setShown(null)}
              onPoint={() => setShown(index)}
            />
          ))}
        </div>
        {shown !== null && shownBar !== undefined && (
          <DayNote bar={shownBar} names={names} metric={metric} place={(shown + 0.5) / bars.length} />
        )}
      </div>
      <div aria-hidden className="relative mt-1.5 h-4 text-second text-xs">
        {labelledDays(bars.length).map((index) => (
          <span key={index} className="absolute whitespace-nowrap" style={{ left: `${(index / bars.length) * 100}%` }}>
            {format.day(bars[index]?.day ?? '')}
          </span>
        ))}
      </div>
    </div>
  )
}
