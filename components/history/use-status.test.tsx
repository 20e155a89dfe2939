import { NextIntlClientProvider } from 'next-intl'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { CONDITION_TABLE, type Condition } from '#lib/domain/errors'
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

function Why({ status, code }: { status: number; code: string }) {
  return useStatus()({ status, outcome: 'refused', errorCode: code }).reason
}

const show = (condition: Condition, locale: 'en' | 'zh'): string =>
  renderToStaticMarkup(
    <NextIntlClientProvider locale={locale} messages={locale === 'en' ? en : zh} timeZone="UTC">
      <Why {...CONDITION_TABLE[condition]} />
    </NextIntlClientProvider>,
  )

const recorded = (Object.keys(CONDITION_TABLE) as Condition[]).filter((condition) => !UNRECORDED.has(condition))

it.each(recorded)('a request that is turned down by %s says so in words, in each language', (condition) => {
  expect(show(condition, 'en')).toMatch(/^[a-z ]+$/)
  expect(show(condition, 'zh')).toMatch(/^\p{Script=Han}+$/u)
})
