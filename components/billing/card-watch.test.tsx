import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { AutoTopUpView } from '#lib/contracts/auto-top-up'
import en from '../messages/en.json' with { type: 'json' }
import { PreloadedData } from '../preloaded-data.tsx'
import { CardWatch } from './card-watch.tsx'

const view = (more: Partial<AutoTopUpView>): AutoTopUpView => ({
  ...{ payable: true, card: null, enabled: false, state: 'off', settings: null, offReason: null, retryAt: null },
  ...{ lastFailure: null, paidMonthNano: '0', monthEnds: '2026-12-01T00:00:00.000Z', freeNano: '0' },
  ...more,
})
const card = { brand: 'visa', last4: '4242', expMonth: 8, expYear: 2030 }

it.each([
  ['no card yet', view({}), 'Waiting for Stripe to confirm your card.'],
  ['a card', view({ card }), 'Your card is saved. Nothing is charged automatically'],
  ['a card that is charged', view({ card, enabled: true, state: 'on' }), 'Your card is saved, and automatic top-up uses it.'],
])('says at the top of the page what became of a card: %s', (_, data, text) => {
  const html = renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <PreloadedData data={{ '/api/billing/auto-top-up': data }}>
        <CardWatch />
      </PreloadedData>
    </NextIntlClientProvider>,
  )
  expect(html).toContain('role="status"')
  expect(html.replace(/<[^>]*>/g, '')).toContain(text)
})
