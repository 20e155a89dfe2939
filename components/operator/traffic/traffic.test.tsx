import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import { type Attention, type BreakerView, type TrafficReport, trafficMeasure } from '#lib/contracts/traffic'
import en from '../../messages/en.json' with { type: 'json' }
import zh from '../../messages/zh.json' with { type: 'json' }
import { TooltipProvider } from '../../ui/tooltip.tsx'
import { BreakerTag } from '../connections/breaker-state.tsx'
import { TrafficAttention } from './traffic-attention.tsx'
import { TrafficChart } from './traffic-chart.tsx'
import { TrafficFigureCards } from './traffic-figures.tsx'
import { TrafficGroups } from './traffic-groups.tsx'

const failures: unknown[] = []
const show = (node: ReactNode, locale: 'en' | 'zh' = 'en'): string =>
  renderToStaticMarkup(
    // A text that lacks a value throws instead of being rendered.
    <NextIntlClientProvider
      locale={locale}
      messages={locale === 'en' ? en : zh}
      timeZone="UTC"
      onError={(error) => failures.push(error)}
    >
      <TooltipProvider>{node}</TooltipProvider>
    </NextIntlClientProvider>,
  )
const textOf = (html: string): string => html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')

const figures = {
  ...{ requests: 1000, vendorErrors: 20, clientErrors: 30, houseErrors: 10, attempts: 1100, attemptFailures: 110 },
  ...{ attemptLimits: 0, retries: 100, inputTokens: 100_000, outputTokens: 50_000 },
  ...{ chargedNano: '2000000000', vendorCostNano: '1500000000', shortfallNano: '0' },
  first: { p50: 210, p95: 900, p99: 1800 },
  took: { p50: 1100, p95: 4000, p99: 9000 },
}
const breaker: BreakerView = {
  ...{ mode: 'automatic', heldBy: null, heldAt: null, open: 2, halfOpen: 0, processes: 4, since: '2026-11-22T10:00:00.000Z' },
  failure: { result: 'failed', status: 503 },
}
const held: BreakerView = { ...breaker, mode: 'held', heldBy: 'op@example.com', heldAt: '2026-11-22T10:00:00.000Z', open: 0 }

const report = (more: Partial<TrafficReport> = {}): TrafficReport => ({
  ...{ from: '2026-11-22T10:00:00.000Z', to: '2026-11-22T10:15:00.000Z', seconds: 900, barSeconds: 60, totals: figures },
  ...{ by: 'deployment', counts: 'calls', measure: 'requests', p: '95', sort: 'volume', more: false },
  narrowed: { model: null, connection: null, deployment: null },
  groups: [
    { ...figures, id: 'dep_1', name: 'Acme', modelId: 'acme/chat', upstreamModel: 'chat-1', breaker, spark: [1, 2, 3] },
    { ...figures, id: 'dep_2', name: 'Beta', modelId: 'acme/chat', upstreamModel: 'chat-2', breaker: held, spark: [0, 0, 0] },
  ],
  bars: [{ at: '2026-11-22T10:00:00.000Z', values: ['5', '1', '0'] }],
  ...more,
})

describe.each(['en', 'zh'] as const)('in %s', (locale) => {
  it('every measure, length of bars and state has its words', () => {
    failures.length = 0
    for (const measure of trafficMeasure.options) {
      const shown = report({
        measure,
        bars: [
          {
            at: '2026-11-22T10:00:00.000Z',
            values: ['first', 'took', 'margin'].includes(measure) ? ['900000'] : ['5', '1', '2'],
          },
        ],
      })
      show(<TrafficFigureCards report={shown} measure={measure} onChange={() => undefined} />, locale)
      for (const barSeconds of [60, 600, 3600, 21_600, 86_400]) show(<TrafficChart report={{ ...shown, barSeconds }} />, locale)
    }
    for (const by of ['model', 'connection', 'deployment'] as const)
      show(<TrafficGroups report={report({ by, more: true })} onPick={() => undefined} onChanged={() => undefined} />, locale)
    const results = ['unreachable', 'timed_out', 'failed', 'broken', 'misconfigured', 'something new']
    const deployments = results.map((result) => ({
      ...{ id: result, modelId: 'm', connectionName: 'c', upstreamModel: 'u', attempts: 10, failures: 4 },
      breaker: { ...breaker, failure: { result, status: null } },
    }))
    show(
      <TrafficAttention
        data={{ processes: 1, deployments, models: [{ id: 'm', requests: 9, errors: 3 }] }}
        onChanged={() => undefined}
      />,
      locale,
    )
    show(<TrafficAttention data={{ processes: 0, deployments: [], models: [] }} onChanged={() => undefined} />, locale)
    expect(failures).toEqual([])
  })
})

it('the cards have rates, shares, percentiles and the margin', () => {
  const text = textOf(show(<TrafficFigureCards report={report()} measure="requests" onChange={() => undefined} />))
  for (const words of [
    '1.1/s',
    '3%',
    'vendor 20 · gateway 10 · client 30',
    '10%',
    '110 of 1,100 calls · 100 retried',
    '900 ms',
    'p50 210 ms · p99 1.8 s',
  ])
    expect(text).toContain(words)
  expect(text).toMatch(/Revenue \$2\.00 \$0\.0020 per request/)
  expect(text).toMatch(/Vendor cost \$1\.50 75% of revenue/)
  expect(text).toMatch(/Margin \$0\.50 25% of revenue/)
})

it('a rate that is next to nothing is said to be so', () => {
  const totals = { ...figures, requests: 1, inputTokens: 30_000, outputTokens: 0 }
  const rare = report({ seconds: 2_592_000, totals })
  const text = textOf(show(<TrafficFigureCards report={rare} measure="requests" onChange={() => undefined} />))
  expect(text).toContain('&lt; 0.001/s')
  expect(text).toContain('0.012/s')
})

it('does not say that nothing failed where one of many did', () => {
  const lone = { ...figures, requests: 10_000, vendorErrors: 0, houseErrors: 1, attempts: 20_000, attemptFailures: 0 }
  const text = textOf(
    show(<TrafficFigureCards report={report({ totals: lone })} measure="requests" onChange={() => undefined} />),
  )
  expect(text).toMatch(/ &lt;0\.1% vendor 0 · gateway 1 /)
  expect(text).toMatch(/ 0% 0 of 20,000 calls/)
})

describe('a margin over time', () => {
  const at = (minute: number, margin: string) => ({ at: `2026-11-22T10:0${minute}:00.000Z`, values: [margin] })
  const lost = report({
    measure: 'margin',
    totals: { ...figures, vendorCostNano: '2500000000' },
    bars: [at(0, '3000000000'), at(1, '-1000000123'), at(2, '0')],
  })
  const html = show(<TrafficChart report={lost} />)

  it('rises from the zero line and goes below it, there in the colour of a warning', () => {
    const bars = [...html.matchAll(/<button type="button" tabindex="-?\d" aria-label="[^"]*".*?<\/button>/g)].map(([one]) => one)
    const heights = bars.map((one) => [...one.matchAll(/height:(?:calc\()?([\d.]+)%[^"]*?(?:background:([^"]*))?"/g)])
    // The axis goes from −$2 to $4: two thirds of it are above zero, and the height of a part is relative to its side.
    const read = (parts: RegExpExecArray[]) => parts.map(([, share, color]) => [Math.round(Number(share)), color])
    expect(heights.map(read)).toEqual([
      [
        [67, undefined],
        [75, 'var(--series-1)'],
        [33, undefined],
      ],
      [
        [67, undefined],
        [33, undefined],
        [50, 'var(--warn)'],
      ],
      [
        [67, undefined],
        [33, undefined],
      ],
    ])
  })

  it('says what it is to the nano, and what it comes to', () => {
    expect(html).toContain('aria-label="22 Nov 10:01: −$1.000000123"')
    expect(html).toContain('aria-label="Margin over time; each bar is a minute"')
    const text = textOf(show(<TrafficFigureCards report={lost} measure="margin" onChange={() => undefined} />))
    expect(text).toMatch(/Margin −\$0\.50 -25% of revenue/)
  })

  it('is there where gains and losses come to nothing', () => {
    expect(textOf(show(<TrafficChart report={{ ...lost, bars: [at(0, '5'), at(1, '-5')] }} />))).not.toContain('Nothing to show')
    expect(textOf(show(<TrafficChart report={{ ...lost, bars: [at(0, '0')] }} />))).toContain('Nothing to show')
  })
})

it('nothing measured is said as such', () => {
  const none = { p50: null, p95: null, p99: null }
  const totals = {
    ...figures,
    requests: 0,
    attempts: 0,
    vendorErrors: 0,
    houseErrors: 0,
    attemptFailures: 0,
    chargedNano: '0',
    first: none,
    took: none,
  }
  const text = textOf(show(<TrafficFigureCards report={report({ totals })} measure="requests" onChange={() => undefined} />))
  expect(text).toContain('No data')
  expect(text).not.toContain('NaN')
})

it('who needs attention is told with how many processes leave it out, since when and why', () => {
  const data: Attention = {
    processes: 4,
    models: [],
    deployments: [
      { id: 'dep_1', modelId: 'acme/chat', connectionName: 'Acme', upstreamModel: 'chat-1', breaker, attempts: 40, failures: 12 },
      {
        id: 'dep_2',
        modelId: 'acme/chat',
        connectionName: 'Beta',
        upstreamModel: 'chat-2',
        breaker: held,
        attempts: 0,
        failures: 0,
      },
    ],
  }
  const text = textOf(show(<TrafficAttention data={data} onChanged={() => undefined} />))
  for (const words of [
    'Needs attention',
    'Open in 2 of 4 processes',
    'the vendor answered with status 503',
    '12 of 40 calls failed',
    'Held open',
    'by op@example.com',
  ])
    expect(text).toContain(words)
})

it('with one process a breaker is open, and not in one of one', () => {
  const tag = (view: Partial<BreakerView>, locale: 'en' | 'zh' = 'en') =>
    textOf(show(<BreakerTag breaker={{ ...breaker, processes: 1, ...view }} />, locale)).trim()
  expect(tag({ open: 1 })).toBe('Open')
  expect(tag({ open: 0, halfOpen: 1 })).toBe('Retrying')
  expect(tag({ open: 1, processes: 2 }, 'zh')).toBe('2 个进程中有 1 个已熔断')
})

it('a table of groups says what each is sorted by and offers to narrow', () => {
  const html = show(<TrafficGroups report={report()} onPick={() => undefined} onChanged={() => undefined} />)
  expect(html).toContain('aria-sort="descending"')
  expect(html).toContain('aria-label="Show only Acme chat-1"')
  expect(textOf(html)).toContain('acme/chat · chat-1')
})
