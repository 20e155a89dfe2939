import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import type { KeyRow } from '#lib/contracts/keys'
import en from '../messages/en.json' with { type: 'json' }
import zh from '../messages/zh.json' with { type: 'json' }
import { KeyFacts } from './key-facts.tsx'

const key = (rpm: number | null, tpm: number | null): KeyRow =>
  ({
    ...{ id: 'key_1', name: 'Laptop', hint: 'sk-tg-…abcd', groupId: 'grp', groupName: 'default', state: 'active' },
    ...{ createdAt: '2026-11-22T10:00:00.000Z', lastUsedAt: null, expiresAt: null, spentNano: '0', spentMonthNano: '0' },
    ...{ limitTotalNano: null, limitMonthNano: null, requests: 0, modelAllow: [], addressAllow: [], historyEnabled: true },
    ...{ rpm, tpm },
  }) as unknown as KeyRow

const show = (locale: 'en' | 'zh', row: KeyRow): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale={locale} messages={locale === 'en' ? en : zh} timeZone="UTC" now={new Date(0)}>
      <KeyFacts row={row} />
    </NextIntlClientProvider>,
  ).replace(/<[^>]*>/g, ' ')

it.each([
  ['en', null, null, 'unlimited requests, unlimited tokens'],
  ['en', 60, null, '60 requests, unlimited tokens'],
  ['zh', null, null, '请求不限，token 不限'],
  ['zh', 60, 5000, '60 个请求，5,000 个 token'],
] as const)('%s: %s requests and %s tokens per minute are "%s"', (locale, rpm, tpm, text) => {
  expect(show(locale, key(rpm, tpm))).toContain(text)
})
