import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { Overview } from '#lib/contracts/overview'
import en from '../messages/en.json' with { type: 'json' }
import { FigureCards } from './figure-cards.tsx'

const ofDays = (count: number, spentBeforeNano: string): Overview => ({
  ...{
    balanceNano: '0',
    heldNano: '0',
    heldRequests: 0,
    heldTasks: 0,
    owedNano: '0',
    payable: true,
    daysLeft: null,
    paceNano: '0',
  },
  ...{ spentNano: '120', spentBeforeNano, requests: 1, errors: 0, firstTokenMs: null, ownMs: null },
  ...{ models: [], modelsUsed: 1, modelsAvailable: 1, steps: { credited: true, key: true, call: true, limit: true } },
  days: Array.from({ length: count }, (_, at) => ({ day: `2026-11-${10 + at}`, models: [], firstTokenMs: null })),
})

const show = (data: Overview): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <FigureCards data={data} />
    </NextIntlClientProvider>,
  ).replace(/<[^>]*>/g, '')

it('compares what was spent with as many days before as the figures are of', () => {
  expect(show(ofDays(7, '100'))).toContain('+20% vs. previous 7 days')
  expect(show(ofDays(1, '100'))).toContain('+20% vs. previous day')
  expect(show(ofDays(7, '0'))).toContain('Nothing in the previous 7 days')
})
