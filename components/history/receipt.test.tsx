import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { RequestDetail } from '#lib/contracts/requests'
import en from '../messages/en.json' with { type: 'json' }
import zh from '../messages/zh.json' with { type: 'json' }
import { Receipt } from './receipt.tsx'

const detail = (why: string | null) =>
  ({
    chargedNano: '0',
    shortfallNano: '0',
    holdNano: '0',
    receipt: {
      priceId: null,
      priceFrom: null,
      lines: [],
      groupName: 'default',
      multiplierBp: 10_000,
      totalNano: '0',
      exact: why === null,
      why,
    },
  }) as unknown as RequestDetail

const show = (why: string | null, locale: 'en' | 'zh'): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale={locale} messages={locale === 'en' ? en : zh} timeZone="UTC">
      <Receipt detail={detail(why)} />
    </NextIntlClientProvider>,
  )

it('says why it is an estimate in the language of its reader', () => {
  const why = 'The client left and the vendor reported no usage.'
  expect(show(why, 'en')).toContain(`>${why}<`)
  expect(show(why, 'zh')).toContain('>客户端已断开，供应商没有报告用量。<')
  // Receipts are kept for years: text that an older gateway wrote is shown as it is.
  expect(show('the client left', 'zh')).toContain('>the client left<')
})
