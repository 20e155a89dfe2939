import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { CONDITION_TABLE, type Condition } from '#lib/domain/errors'
import { QUOTA_REFUSALS, type QuotaRefusal } from '#lib/domain/quota-refusals'
import en from '../messages/en.json' with { type: 'json' }
import zh from '../messages/zh.json' with { type: 'json' }
import { useStatus } from './use-status.ts'

/** Conditions that no history records: of requests without an account, or of addresses that are only read. */
const UNRECORDED: ReadonlySet<Condition> = new Set<Condition>([
  'invalid_key',
  'wrong_signature',
  'expired_file',
  'unknown_path',
  'unknown_task',
  'unknown_response',
  'unknown_file',
  'wrong_method',
  'task_completed',
  'wrong_range',
])

interface WhyProps {
  status: number
  code: string
  quota?: QuotaRefusal | null
}

function Why({ status, code, quota = null }: WhyProps) {
  return useStatus()({ status, outcome: 'refused', errorCode: code, quota }).reason
}

const show = (condition: Condition, locale: 'en' | 'zh', quota: QuotaRefusal | null = null): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale={locale} messages={locale === 'en' ? en : zh} timeZone="UTC">
      <Why {...CONDITION_TABLE[condition]} quota={quota} />
    </NextIntlClientProvider>,
  )

const recorded = (Object.keys(CONDITION_TABLE) as Condition[]).filter((condition) => !UNRECORDED.has(condition))

it.each(recorded)('a request that is turned down by %s says so in words, in each language', (condition) => {
  expect(show(condition, 'en')).toMatch(/^[a-z ]+$/)
  expect(show(condition, 'zh')).toMatch(/^\p{Script=Han}+$/u)
})

it.each(['en', 'zh'] as const)('a request that is turned down for want of quota says of which, in %s', (locale) => {
  const wants = Object.keys(QUOTA_REFUSALS) as QuotaRefusal[]
  const texts = [null, ...wants].map((quota) => show('no_quota', locale, quota))
  expect(new Set(texts).size).toBe(1 + wants.length)
})
