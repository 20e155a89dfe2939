import type { Locale } from '#lib/contracts/locales'
import { formatForLocale } from '../../messages/format-for-locale.ts'
import { type MessageLike, messageWith, type PlainMessage, toMessageDescriptor } from '../../messages/message.ts'
import { formatParagraphs } from '../mail/mail-text.ts'
import type { NoticeEvent } from './notices-ports.ts'

type AlertNotice = Extract<NoticeEvent, { kind: 'operator.alert' }>

const textOf = (value: unknown): string => (value === null || value === undefined ? '?' : String(value))

/** The part of the gateway that the alert is about. */
function subjectOf({ rule, scope, name }: AlertNotice): MessageLike {
  if (rule === 'errors' && scope === 'all') return 'the gateway'
  return rule === 'errors' && scope === 'model'
    ? messageWith('the model {name}', { name })
    : messageWith('the connection {name}', { name })
}

/** The separator between names in a list. */
const LIST_SEPARATORS: Readonly<Record<Locale, string>> = { en: ', ', zh: '、' }

function linesOf(event: AlertNotice, locale: Locale): MessageLike[] {
  const { rule, about, state } = event
  if (rule === 'breaker') {
    if (state === 'resolved') return ['Its deployments are in use again.']
    const models = Array.isArray(about.models) ? about.models.map(textOf).join(LIST_SEPARATORS[locale]) : ''
    const deployments = textOf(about.deployments)
    return [
      messageWith('{deployments} of its deployments failed too often and are skipped. Models: {models}.', {
        deployments,
        models,
      }),
    ]
  }
  if (rule === 'errors') {
    const values = {
      failed: textOf(about.failed),
      requests: textOf(about.requests),
      percent: textOf(about.percent),
      minutes: textOf(about.minutes),
    }
    return [
      ...(about.requests === undefined
        ? []
        : [messageWith('{failed} of {requests} calls failed ({percent}%) within {minutes} minutes.', values)]),
      messageWith('The rule is set to {percent}%.', { percent: textOf(about.percentLimit) }),
    ]
  }
  const left = `${textOf(about.left)}${about.currency ? ` ${textOf(about.currency)}` : ''}`
  const below = textOf(about.below)
  return [
    about.from === 'vendor'
      ? messageWith('The vendor reports that {left} is left. The rule is set to {below}.', { left, below })
      : messageWith('{left} is left: the balance entered, less the cost of our calls since. The rule is set to {below}.', {
          left,
          below,
        }),
  ]
}

const HEADLINES = {
  breaker: { fired: 'A breaker is open', resolved: 'The breakers are closed again' },
  errors: { fired: 'Too many calls are failing', resolved: 'Calls are succeeding again' },
  balance: { fired: 'A vendor balance is low', resolved: 'The vendor balance is sufficient again' },
} as const satisfies Record<AlertNotice['rule'], Record<AlertNotice['state'], PlainMessage>>

/** The mail that notifies an operator that an alert fired or was resolved. `page` is where alerts are configured. */
export function composeAlertEmail(event: AlertNotice, page: string, locale: Locale): { subject: string; text: string } {
  const about = { what: toMessageDescriptor(HEADLINES[event.rule][event.state]), whom: toMessageDescriptor(subjectOf(event)) }
  const time = event.at.toISOString().replace('T', ' ').slice(0, 19)
  const last = [
    messageWith('Seen at {time} UTC.', { time }),
    messageWith('Change who is notified, and when: {link}', { link: page }),
  ]
  return {
    subject: formatForLocale(messageWith('{what}: {whom}', about), locale),
    text: formatParagraphs(locale, [messageWith('{what}: {whom}.', about), linesOf(event, locale), last]),
  }
}
