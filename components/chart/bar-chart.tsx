'use client'
import { useTranslations } from 'next-intl'
import { type KeyboardEvent, useRef, useState } from 'react'
import { cn } from '../cn.ts'
import { truncateMiddle } from '../truncate-middle.ts'
import { type Bar, COLORS, colorOf, columnsOf, extentOf, labelledBars, type Measure, ticks, totalOf } from './axis.ts'

/** How many characters of a name fit in a bar's tooltip next to an amount. */
const MAX_TOOLTIP_NAME = 20

interface SeriesProps {
  /** The names of the series, in the order of the colors. */
  names: string[]
  hidden: ReadonlySet<number>
  measure: Measure
}

interface BarTooltipProps extends SeriesProps {
  bar: Bar
  /** The position of the bar, from 0 to 1. The tooltip opens towards the middle. */
  place: number
}

function BarTooltip({ bar, names, hidden, measure, place }: BarTooltipProps) {
  const parts = bar.values
    .map((value, index) => ({ value, index }))
    .filter(({ value, index }) => value !== 0n && !hidden.has(index))
  return (
    <div
      aria-hidden
      className="pointer-events-none absolute top-0 z-10 w-56 max-w-[70%] animate-appear rounded-md border bg-panel p-2.5 text-sm shadow-float"
      style={place < 0.5 ? { left: `calc(${place * 100}% + 12px)` } : { right: `calc(${(1 - place) * 100}% + 12px)` }}
    >
      <p className="figures flex flex-wrap justify-between gap-x-3 font-medium not-last:mb-1.5">
        <span>{bar.name}</span>
        <span className="whitespace-nowrap">{measure.format(totalOf(bar, hidden))}</span>
      </p>
      {names.length > 1 &&
        parts.map(({ value, index }) => (
          <p key={index} className="figures flex items-center gap-2 text-second leading-5">
            <span
              className="size-2 shrink-0 forced-color-adjust-none rounded-[2px]"
              style={{ background: colorOf(index, value) }}
            />
            <span className="min-w-0 flex-1 truncate">{truncateMiddle(names[index] ?? '', MAX_TOOLTIP_NAME)}</span>
            <span>{measure.format(value)}</span>
          </p>
        ))}
    </div>
  )
}

/** The values at the two ends of the axis. The lower one is 0 if nothing is negative. */
interface AxisEnds {
  top: number
  bottom: number
}

function Axis({ marks, labels, top, bottom }: AxisEnds & { marks: number[]; labels: string[] }) {
  const zero = bottom < 0 ? 'border-third' : 'border-line'
  return (
    <div aria-hidden className="absolute inset-0">
      {marks.map((mark, index) => (
        <div key={mark} className="absolute inset-x-0" style={{ bottom: `${((mark - bottom) / (top - bottom)) * 100}%` }}>
          <span className="figures absolute -top-2 right-full whitespace-nowrap pr-2.5 text-second text-xs">{labels[index]}</span>
          <div className={cn('border-t', mark === 0 ? zero : 'border-line-soft')} />
        </div>
      ))}
    </div>
  )
}

const MOVES_BY_KEY: Record<string, (index: number, last: number) => number> = {
  ArrowLeft: (index) => Math.max(0, index - 1),
  ArrowRight: (index, last) => Math.min(last, index + 1),
  Home: () => 0,
  End: (_, last) => last,
}

interface BarPartProps extends AxisEnds {
  bar: Bar
  hidden: ReadonlySet<number>
  side: 'above' | 'below'
}

/** The part of a bar on one side of the zero line, stacked outwards. */
function BarPart({ bar, hidden, top, bottom, side }: BarPartProps) {
  const reach = side === 'above' ? top : -bottom
  if (reach === 0) return null
  return (
    <span
      className={cn('flex gap-px', side === 'above' ? 'flex-col-reverse' : 'flex-col')}
      style={{ height: `${(reach / (top - bottom)) * 100}%` }}
    >
      {bar.values.map((value, series) =>
        (side === 'above' ? value <= 0n : value >= 0n) || hidden.has(series) ? null : (
          <span
            key={COLORS[series]}
            className="min-h-px shrink-0 rounded-[1.5px]"
            style={{ height: `calc(${(Math.abs(Number(value)) / reach) * 100}% - 1px)`, background: colorOf(series, value) }}
          />
        ),
      )}
    </span>
  )
}

interface ColumnProps extends AxisEnds {
  bar: Bar
  hidden: ReadonlySet<number>
  name: string
  /** Whether the Tab key stops here. */
  isTabStop: boolean
  isShown: boolean
  onFocus: () => void
  onPoint: () => void
  onLeave: () => void
}

const Column = ({ bar, hidden, top, bottom, name, isTabStop, isShown, onFocus, onPoint, onLeave }: ColumnProps) => (
  <button
    type="button"
    tabIndex={isTabStop ? 0 : -1}
    aria-label={name}
    onFocus={onFocus}
    onBlur={onLeave}
    onMouseEnter={onPoint}
    className={cn('flex h-full min-w-0 justify-center rounded-sm', isShown && 'bg-hover')}
  >
    <span className="flex h-full w-[68%] max-w-10 forced-color-adjust-none flex-col">
      <BarPart bar={bar} hidden={hidden} top={top} bottom={bottom} side="above" />
      <BarPart bar={bar} hidden={hidden} top={top} bottom={bottom} side="below" />
    </span>
  </button>
)

/** The time labels under the bars, as many as there is room for. */
const TimeLabels = ({ bars }: { bars: Bar[] }) => (
  <div aria-hidden className="@container relative mt-1.5 h-4 text-second text-xs">
    {labelledBars(bars.length).map((index, place) => (
      <span
        key={index}
        // In narrow charts, only every other label is shown.
        className={cn('absolute whitespace-nowrap', place % 2 === 1 && '@max-sm:hidden')}
        style={{ left: `${(index / bars.length) * 100}%` }}
      >
        {bars[index]?.label}
      </span>
    ))}
  </div>
)

interface BarChartProps extends SeriesProps {
  bars: Bar[]
  /** The accessible description of the chart. */
  label: string
}

/** The ticks of the axis and its ends. */
function scaleOf(bars: Bar[], hidden: ReadonlySet<number>): AxisEnds & { marks: number[] } {
  const extents = bars.map((bar) => extentOf(bar, hidden))
  const marks = ticks(
    Math.max(0, ...extents.map(({ above }) => Number(above))),
    Math.min(0, ...extents.map(({ below }) => Number(below))),
  )
  return { marks, top: marks.at(-1) ?? 1, bottom: marks[0] ?? 0 }
}

/**
 * Bars over time, stacked by series, with negative values below the zero line. The chart is a single Tab stop. The arrow keys
 * move from bar to bar, and the tooltip follows.
 */
export function BarChart({ bars, names, hidden, measure, label }: BarChartProps) {
  const t = useTranslations('chart')
  const [shown, setShown] = useState<number | null>(null)
  const [stop, setStop] = useState(bars.length - 1)
  const row = useRef<HTMLDivElement>(null)
  const { marks, top, bottom } = scaleOf(bars, hidden)
  const labels = marks.map(measure.formatTick)
  const last = bars.length - 1
  const move = (event: KeyboardEvent) => {
    const next = MOVES_BY_KEY[event.key]?.(Math.min(stop, last), last)
    if (next === undefined) return
    event.preventDefault()
    setStop(next)
    row.current?.querySelectorAll('button')[next]?.focus()
  }
  const shownBar = shown === null ? undefined : bars[shown]
  return (
    // As wide as the longest label: sandbox prices have many decimals, others two.
    <div
      className="flex flex-1 flex-col pt-2"
      style={{ paddingLeft: `${Math.max(...labels.map((text) => text.length)) * 0.43 + 0.75}rem` }}
    >
      <div className="relative min-h-44 flex-1">
        <Axis marks={marks} labels={labels} top={top} bottom={bottom} />
        <div
          ref={row}
          role="toolbar"
          aria-label={label}
          onKeyDown={move}
          onMouseLeave={() => setShown(null)}
          className="absolute inset-0 grid grid-rows-1"
          style={columnsOf(bars.length)}
        >
          {bars.map((bar, index) => (
            <Column
              key={bar.key}
              bar={bar}
              hidden={hidden}
              top={top}
              bottom={bottom}
              name={t('bar', { name: bar.name, total: measure.format(totalOf(bar, hidden)) })}
              isTabStop={index === Math.min(stop, last)}
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
          <BarTooltip
            bar={shownBar}
            names={names}
            hidden={hidden}
            measure={measure}
            place={(shown + 0.5) / Math.max(1, bars.length)}
          />
        )}
      </div>
      <TimeLabels bars={bars} />
    </div>
  )
}
