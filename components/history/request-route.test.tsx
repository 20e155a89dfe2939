import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { RequestDetail } from '#lib/contracts/requests'
import en from '../messages/en.json' with { type: 'json' }
import zh from '../messages/zh.json' with { type: 'json' }
import { RequestRoute } from './request-route.tsx'

type Try = RequestDetail['attempts'][number]

const attempt = (connection: string, more: Partial<Try>): Try => ({
  ...{ deployment: `dep_${connection}`, connection, model: 'gpt-x', status: null, tookMs: 1, result: 'answered', detail: null },
  ...more,
})

/** A request with these attempts. */
const requestOf = (attempts: Try[], more: { endpoint?: string; tookMs?: number; ownMs?: number } = {}) => ({
  ...{ attempts, endpoint: 'chat.completions', tookMs: 300, ownMs: 1 },
  ...more,
})

const showRequest = (detail: ReturnType<typeof requestOf>, locale: 'en' | 'zh' = 'en'): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale={locale} messages={locale === 'en' ? en : zh} timeZone="UTC">
      <RequestRoute detail={detail} />
    </NextIntlClientProvider>,
  )
const show = (attempts: Try[], locale?: 'en' | 'zh'): string => showRequest(requestOf(attempts), locale)
const textOf = (html: string): string[] => html.split(/<[^>]*>/).flatMap((text) => (text.trim() === '' ? [] : [text.trim()]))

describe('the route of a request', () => {
  const tries = [
    attempt('Away', { result: 'unreachable', detail: 'ECONNREFUSED', tookMs: 2 }),
    attempt('Busy', { result: 'limited', status: 429, tookMs: 50 }),
    attempt('Box', { status: 200, tookMs: 148 }),
  ]

  it('names who was asked for what, how it ended and how long it took, in their order', () => {
    expect(textOf(show(tries))).toEqual([
      'Route',
      ...['Away', 'unreachable', 'gpt-x\u00a0· ECONNREFUSED', '2 ms'],
      ...['Busy', '429 rate limited', 'gpt-x', '50 ms'],
      ...['Box', 'answered', 'gpt-x', '148 ms'],
    ])
    expect(textOf(show(tries, 'zh'))).toEqual(expect.arrayContaining(['路由', '无法连接', '429 被限流', '已回答']))
  })

  it('has all that is known of a try on the page, however long it is: nothing points at what it is read with', () => {
    const long = attempt('Far', {
      model: 'accounts/fireworks/models/llama-v3p1-405b-instruct',
      detail: 'ECONNREFUSED 127.0.0.1:9',
    })
    const html = show([long])
    expect(textOf(html)).toContain(`${long.model}\u00a0· ${long.detail}`)
    expect(html).not.toContain('truncate')
  })

  it('draws tries one after the other, and a single one not at all', () => {
    const bars = (html: string) =>
      [...html.matchAll(/margin-left:min\(([\d.]+)%.*?width:([\d.]+)%/g)].map(([, left, width]) => [left, width])
    expect(bars(show(tries))).toEqual([
      ['0', '1'],
      ['1', '25'],
      ['26', '74'],
    ])
    expect(bars(show(tries.slice(2)))).toEqual([])
  })

  it('shows of a video how long its vendor worked on it, and not how quickly it said that it had begun', () => {
    const busy = attempt('Busy', { result: 'limited', status: 429, tookMs: 50 })
    const begun = attempt('Box', { status: 200, tookMs: 0.1 })
    const video = { endpoint: 'videos.generations', tookMs: 3600, ownMs: 8 }
    expect(textOf(showRequest(requestOf([begun], video)))).toContain('3.6 s')
    const durations = textOf(showRequest(requestOf([busy, begun], video))).filter((text) => /^[\d.]+ m?s$/.test(text))
    expect(durations).toEqual(['50 ms', '3.5 s'])
    const failed = { ...begun, result: 'failed' as const, status: 500 }
    expect(textOf(showRequest(requestOf([failed], video)))).toContain('0.1 ms')
  })

  it('shows what older records say as it stands, and nothing where nobody was asked', () => {
    expect(textOf(show([attempt('Old', { model: '', result: 'cut: ECONNRESET' })]))).toEqual([
      'Route',
      'Old',
      'cut: ECONNRESET',
      'dep_Old',
      '1 ms',
    ])
    expect(show([])).toBe('')
  })
})
