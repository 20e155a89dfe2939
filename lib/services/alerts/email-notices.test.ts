import { expect, it } from 'vitest'
import type { EmailMessage, Recipient } from '../mail/mail-ports.ts'
import { createEmailNotices } from './email-notices.ts'
import type { NoticeEvent } from './notices-ports.ts'

const UNIT = 1_000_000_000n
const about = { id: 'x', accountId: 'acc', at: new Date(0) }
const card = 'Visa •••• 4242'
const paid = { ...about, kind: 'top_up.succeeded', paymentId: 'pay', amountNano: 20n * UNIT, automatic: true, card } as const
const failed = { ...paid, kind: 'top_up.failed', reason: 'funds', off: false, waitMs: 12 * 3_600_000 } as const
const off = { ...about, kind: 'auto_top_up.off', reason: 'card_removed', card, amountNano: null } as const
const alert = {
  ...about,
  kind: 'spending.alert',
  alertId: 'alr',
  period: 'day',
  since: '2026-11-21',
  amountNano: 10n * UNIT,
  spentNano: 10_500_000_000n,
  keyName: null,
} as const

async function mailFor(
  event: NoticeEvent,
  holder: Recipient | null = { email: 'a@example.com', name: 'Ada', locale: 'en' },
  wishes = { lowBalance: true, receipts: true, alerts: true },
) {
  const sent: EmailMessage[] = []
  const notices = createEmailNotices({
    alertsUrl: () => '/operator/alerts',
    mail: { send: async (mail) => void sent.push(mail) },
    holders: { find: async () => holder, localeOf: async () => holder?.locale ?? 'en' },
    preferences: { find: async () => wishes, set: async () => undefined },
    billingUrl: () => 'https://gate.example.com/billing',
  })
  await notices.notify(event)
  return sent[0]
}

const CASES: [string, NoticeEvent, string, string][] = [
  [
    'a low balance',
    { ...about, kind: 'balance.low', balanceNano: 4_997_500_000n, lowBalanceNano: 5n * UNIT },
    'Your Tollgate balance is $4.9975',
    'below $5.00',
  ],
  ['an automatic payment', paid, '$20.00 was added to your Tollgate balance', 'paid from Visa •••• 4242'],
  [
    'one that failed',
    failed,
    'A top-up of $20.00 failed',
    'insufficient funds. Nothing was paid.\nIt will be retried in 12 hours.',
  ],
  [
    'one that is retried, which leaves automatic top-up on',
    failed,
    'A top-up of $20.00 failed',
    'Pay manually, or save another card: https',
  ],
  [
    'a card that was removed',
    off,
    'Automatic top-up is off',
    'The saved card Visa •••• 4242 was removed at Stripe.\nAutomatic top-up is now off',
  ],
  [
    'an automatic payment that was refunded',
    { ...off, reason: 'refunded', amountNano: 5n * UNIT },
    'Automatic top-up is off',
    '$5.00 of an automatic payment was refunded',
  ],
  ['a dispute', { ...off, reason: 'disputed', amountNano: 5n * UNIT }, 'Automatic top-up is off', 'took $5.00 back'],
  ['the last one', { ...failed, off: true, waitMs: null }, 'Automatic top-up is off', 'Automatic top-up is now off'],
  [
    'one that needs its holder',
    { ...failed, reason: 'authentication', off: true, waitMs: null },
    'Automatic top-up is off',
    'your bank requires you to confirm it yourself',
  ],
  ['a payment by hand that failed', { ...failed, automatic: false }, 'Your payment of $20.00 failed', 'Pay another way'],
  [
    'spending in a day',
    alert,
    '$10.50 spent today',
    'Your account has spent $10.50 on 2026-11-21 (UTC). You asked to be notified at $10.00',
  ],
  [
    'spending of a key in a month',
    { ...alert, period: 'month', keyName: 'ci' },
    '$10.50 spent this month',
    'The key "ci" has spent',
  ],
]

it.each(CASES)('writes of %s', async (_what, event, subject, part) => {
  const mail = await mailFor(event)
  expect(mail).toMatchObject({ to: 'a@example.com', subject })
  expect(mail?.text).toMatch(/^Hello Ada,\n\n/)
  expect(mail?.text).toContain(part)
  expect(mail?.text).toContain('https://gate.example.com/billing')
})

const OPERATOR_ALERT = {
  ...about,
  kind: 'operator.alert',
  to: 'op@example.com',
  state: 'fired',
  rule: 'errors',
  scope: 'all',
  name: '',
  about: { requests: 10, failed: 5, percent: 50, minutes: 5, percentLimit: 20 },
} as const satisfies NoticeEvent
const breaker = {
  ...OPERATOR_ALERT,
  rule: 'breaker',
  scope: 'connection',
  name: 'c1',
  about: { deployments: 2, models: ['m1', 'm2'] },
} as const
const balance = { ...breaker, rule: 'balance', about: { left: '1.5', currency: 'USD', from: 'vendor', below: '2' } } as const

it.each<[string, NoticeEvent]>([
  ...CASES.map(([what, event]): [string, NoticeEvent] => [what, event]),
  ['a card that nobody knows', { ...failed, card: null, reason: 'declined', waitMs: 0 }],
  ['a payment from an unknown card', { ...paid, card: null }],
  ['an unknown card that was removed', { ...off, card: null }],
  ['an hour to wait', { ...failed, reason: 'refused', waitMs: 3_600_000 }],
  ['many failures', OPERATOR_ALERT],
  ['many failures of a model', { ...OPERATOR_ALERT, scope: 'model', name: 'm1', state: 'resolved' }],
  ['an open breaker', breaker],
  ['a closed breaker', { ...breaker, state: 'resolved' }],
  ['a low balance of a vendor', balance],
  ['a stated balance of a vendor', { ...balance, state: 'resolved', about: { ...balance.about, from: 'stated' } }],
])('writes of %s in Chinese, without a word of English', async (_what, event) => {
  const mail = await mailFor(event, { email: 'a@example.com', name: '王小明', locale: 'zh' })
  const text = `${mail?.subject}\n${mail?.text}`
  expect(text).toMatch(/\p{Script=Han}/u)
  const names = /https?:\S+|\/operator\/alerts|Tollgate|Visa|Stripe|UTC|USD|"ci"|\bci\b|\b[cm]\d\b/g
  expect(text.replace(names, '')).not.toMatch(/[A-Za-z{}]|, /)
  // The mail contains the same figures as the English one.
  const english = await mailFor(event)
  const figures = (of: string | undefined) => of?.match(/\d[\d.,:-]*\d|\d/g)?.sort()
  expect(figures(mail?.text.replace('一小时', ''))).toEqual(figures(english?.text))
})

it('writes nothing of a payment by hand that was credited, and to nobody', async () => {
  expect(await mailFor({ ...paid, automatic: false })).toBeUndefined()
  expect(await mailFor(paid, null)).toBeUndefined()
})

it.each<[string, NoticeEvent, boolean]>([
  ['an alert', alert, false],
  ['a receipt', paid, false],
  ['a payment that failed', failed, true],
])('%s is sent to who wants no mails: %s', async (_, event, sent) => {
  const none = { lowBalance: false, receipts: false, alerts: false }
  expect((await mailFor(event, undefined, none)) !== undefined).toBe(sent)
})
