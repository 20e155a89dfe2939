import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, it } from 'vitest'
import type { Billing } from '#lib/contracts/billing'
import type { Me } from '#lib/contracts/session'
import en from '../messages/en.json' with { type: 'json' }
import { PreloadedData } from '../preloaded-data.tsx'
import { BalanceCard } from './balance-card.tsx'
import { SuspendedNote } from './suspended-note.tsx'

const me = (suspendedReason: string | null, suspended = true): Me => ({
  ...{ name: 'Ada', email: 'ada@example.com', emailVerified: true, mail: true, role: 'holder', accountId: 'acc_ada' },
  ...{ suspended, suspendedReason, baseUrl: 'http://localhost/v1', sandboxOnly: false, maintenance: false, notice: null },
})
const billing = (owedNano = '0'): Billing => ({
  ...{ balanceNano: '5000000000', owedNano, currency: 'usd', payable: true, mail: true, email: 'ada@example.com' },
  ...{ minNano: '1', maxNano: '2', stepNano: '1', lowBalanceNano: null, webhookUrl: '/', processing: [] },
})
const show = (reader: Me, node: ReactNode): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <PreloadedData data={{ '/api/me': reader }}>{node}</PreloadedData>
    </NextIntlClientProvider>,
  ).replace(/<[^>]*>/g, '')

const NOT_LIFTED = 'does not lift the suspension'
const REFUSED = 'The keys of this account are refused while it is suspended.'

describe('a suspended account', () => {
  it.each([
    ['by an operator', me('abuse'), true],
    ['by an operator without a reason', me(null), true],
    ['for debt', me('debt'), false],
    ['not at all', me(null, false), false],
  ])('%s: whether a payment is said not to help', (_, reader, said) => {
    expect(show(reader, <SuspendedNote />).includes(NOT_LIFTED)).toBe(said)
    const card = show(reader, <BalanceCard data={billing()} />)
    expect(card.includes(REFUSED)).toBe(said)
    expect(card.includes('Available to every key')).toBe(!said)
  })

  it('that owes too says both', () => {
    const card = show(me('abuse'), <BalanceCard data={billing('1000000000')} />)
    expect(card).toContain('You owe $1.00')
    expect(card).toContain(REFUSED)
  })
})
