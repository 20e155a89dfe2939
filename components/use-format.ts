'use client'
import { type Locale, useLocale, useNow, useTimeZone } from 'next-intl'
import { useMemo } from 'react'
import { joinList, joinSentences } from './join-texts.ts'
import { useHydrated } from './use-hydrated.ts'

/** Formats numbers and times as the reader's language does. Times are in the reader's time zone. */
export interface Format {
  count(value: number): string
  compact(value: number): string
  percent(share: number, digits?: number): string
  /** A share of a whole, never 0 for a share above zero: `69%`, `0.2%`, `<0.1%`. */
  nonZeroPercent(share: number, digits?: number): string
  /** A relative change: `+12%`, `−4.5%`, `±0%`. */
  change(share: number): string
  /** `0.4 ms`, `590 ms`, `1.9 s`, `94 s`. */
  duration(ms: number): string
  /** The same for columns, where fewer units read better: `3 ms`, `0.6 s`, `94 s`. */
  shortDuration(ms: number): string
  /** `14:02:11` today, `3 Nov 14:02` on another day of this year, `3 Nov 2025 14:02` in another year. */
  moment(iso: string): string
  /** `3 Nov 2026, 14:02:11.482`. */
  exactMoment(iso: string): string
  date(iso: string): string
  /** A calendar day, given as `YYYY-MM-DD`: `3 Nov`. */
  day(day: string): string
  /** An hour in UTC: `14:00`. */
  hour(iso: string): string
  /** The same with the day: `3 Nov 14:00`. */
  dayHour(iso: string): string
  /** A month in UTC: `Nov 2026`. */
  month(iso: string): string
  /** `5 minutes ago`. */
  ago(iso: string): string
  /** `tools, vision`, in Chinese `工具调用、视觉理解`. */
  list(items: readonly (string | number)[]): string
  /** `One. Two.`, in Chinese without the space. What is empty is left out. */
  sentences(sentences: readonly (string | false | null)[]): string
}

const roundTo = (value: number, digits: number): string => String(Number(value.toFixed(digits)))

function duration(ms: number): string {
  if (ms < 10) return `${roundTo(ms, 1)} ms`
  if (ms < 1000) return `${Math.round(ms)} ms`
  return `${ms < 10_000 ? (ms / 1000).toFixed(1) : Math.round(ms / 1000)} s`
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
]

/** How long ago something was, in whole units: 47 hours are one day, although that may not be yesterday. */
function formatAgo(locale: Locale, iso: string, nowMs: number): string {
  const seconds = Math.min(0, (Date.parse(iso) - nowMs) / 1000)
  const [unit, size] = STEPS.find(([, length]) => -seconds >= length) ?? ['second', 1]
  const count = Math.ceil(seconds / size)
  // `auto` has a word for zero ("now"), but also words for calendar days ("yesterday").
  return new Intl.RelativeTimeFormat(locale, { numeric: count === 0 ? 'auto' : 'always' }).format(count, unit)
}

/** The time zone and the time at which the server rendered the page. */
interface ServerRender {
  timeZone: string | undefined
  at: Date
}

/** Makes the formatters of a language. `serverRender` is null once the reader's own time zone and clock apply. */
export function createFormat(locale: Locale, serverRender: ServerRender | null): Format {
  // British order, `3 Nov`, reads well in a narrow column and is unambiguous.
  const tag = locale === 'en' ? 'en-GB' : 'zh-CN'
  const times = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(tag, { hourCycle: 'h23', timeZone: serverRender?.timeZone, ...options })
  const counts = new Intl.NumberFormat(locale)
  const compacts = new Intl.NumberFormat(locale, { notation: 'compact', maximumSignificantDigits: 3 })
  const clock = times({ hour: '2-digit', minute: '2-digit', second: '2-digit' })
  const thisYear = times({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
  const otherYears = times({ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' })
  const exact = times({ dateStyle: 'medium', timeStyle: 'medium' })
  const dates = times({ dateStyle: 'medium' })
  const days = times({ day: 'numeric', month: 'short', timeZone: 'UTC' })
  const hours = times({ hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
  const dayHours = times({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })
  const months = times({ month: 'short', year: 'numeric', timeZone: 'UTC' })
  const percent = (share: number, digits = 0) =>
    new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: digits }).format(share)
  return {
    count: (value) => counts.format(value),
    compact: (value) => compacts.format(value),
    percent,
    nonZeroPercent: (share, digits = share < 0.1 ? 1 : 0) => {
      const smallest = 10 ** (-2 - digits)
      return share > 0 && share < smallest ? `<${percent(smallest, digits)}` : percent(share, digits)
    },
    change: (share) => {
      const size = percent(Math.abs(share), Math.abs(share) < 0.1 ? 1 : 0)
      return `${size === percent(0) ? '±' : share > 0 ? '+' : '−'}${size}`
    },
    duration,
    shortDuration: (ms) => (ms < 95 ? duration(ms) : ms < 1000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms)),
    moment: (iso) => {
      const [at, now] = [new Date(iso), serverRender?.at ?? new Date()]
      if (dates.format(at) === dates.format(now)) return clock.format(at)
      return (at.getFullYear() === now.getFullYear() ? thisYear : otherYears).format(at).replace(',', '')
    },
    exactMoment: (iso) => `${exact.format(new Date(iso))}.${iso.slice(20, 23).replace(/\D/g, '').padEnd(3, '0')}`,
    date: (iso) => dates.format(new Date(iso)),
    day: (day) => days.format(new Date(`${day}T00:00:00Z`)),
    hour: (iso) => hours.format(new Date(iso)),
    dayHour: (iso) => dayHours.format(new Date(iso)).replace(',', ''),
    month: (iso) => months.format(new Date(iso)),
    ago: (iso) => formatAgo(locale, iso, serverRender?.at.getTime() ?? Date.now()),
    list: (items) => joinList(locale, items),
    sentences: (sentences) => joinSentences(locale, sentences),
  }
}

/**
 * The formatters of the reader's language. The first render matches the server's. What differs in the browser is then rendered
 * again.
 */
export function useFormat(): Format {
  const [locale, timeZone, at, hydrated] = [useLocale(), useTimeZone(), useNow(), useHydrated()]
  return useMemo(() => createFormat(locale, hydrated ? null : { timeZone, at }), [locale, timeZone, at, hydrated])
}
