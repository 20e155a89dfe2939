import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { AccountRow } from '#lib/contracts/operator-accounts'
import en from '../messages/en.json' with { type: 'json' }
import { AccountListRow } from './accounts-page.tsx'

it("shows a balance as the account's own pages do, not rounded to what is not there", () => {
  const row: AccountRow = {
    ...{ id: 'acc_1', name: 'Ada', email: 'ada@example.com', role: 'holder', state: 'active' },
    ...{ balanceNano: '99925600000', spentMonthNano: '74400000', createdAt: '2026-11-20T00:00:00.000Z' },
  }
  const html = renderToStaticMarkup(
    <NextIntlClientProvider locale="en" messages={en} timeZone="UTC">
      <table>
        <tbody>
          <AccountListRow row={row} />
        </tbody>
      </table>
    </NextIntlClientProvider>,
  )
  expect(html.replace(/<[^>]*>/g, '')).toContain('$99.9256')
  expect(html).not.toContain('$99.93')
})
