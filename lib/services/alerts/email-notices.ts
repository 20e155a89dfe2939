import type { EmailPreferences } from '#lib/contracts/account'
import type { TopUpFailure } from '../../domain/auto-top-up.ts'
import { formatMoney } from '../../domain/format-money.ts'
import { type MessageLike, messageWith, type PlainMessage, toMessageDescriptor } from '../../messages/message.ts'
import type { EmailPreferenceStore } from '../account/account-ports.ts'
import type { Mailer } from '../mail/mail-ports.ts'
import { composeEmail, type Paragraph } from '../mail/mail-text.ts'
import { composeAlertEmail } from './alert-email.ts'
import type { Holders, NoticeEvent, Notices } from './notices-ports.ts'

interface EmailNoticesParts {
  mail: Mailer
  holders: Holders
  preferences: EmailPreferenceStore
  /** The address of the billing page. */
  billingUrl(): string
  /** The address of the operators' alerts page. */
  alertsUrl(): string
}

type TopUpFailedEvent = Extract<NoticeEvent, { kind: 'top_up.failed' }>
type AutoTopUpOffEvent = Extract<NoticeEvent, { kind: 'auto_top_up.off' }>
type SpendingAlertEvent = Extract<NoticeEvent, { kind: 'spending.alert' }>
type EmailContent = { subject: MessageLike; paragraphs: Paragraph[] }

/** The setting that switches each mail off. Null: it cannot be switched off; everybody has to know that a payment failed. */
const PREFERENCE_OF_KIND: Record<NoticeEvent['kind'], keyof EmailPreferences | null> = {
  'balance.low': 'lowBalance',
  'top_up.succeeded': 'receipts',
  'top_up.failed': null,
  'auto_top_up.off': null,
  'spending.alert': 'alerts',
  'operator.alert': null,
}

const moneyText = (nano: bigint): string => formatMoney(nano).text
const exactText = (nano: bigint): string => formatMoney(nano, 'exact').text

const FAILURE_REASONS = {
  declined: 'your bank declined it',
  funds: 'the card has insufficient funds',
  expired: 'the card has expired',
  authentication: 'your bank requires you to confirm it yourself',
  card_gone: 'the card is no longer saved at Stripe',
  refused: 'Stripe refused it',
  unanswered: 'Stripe did not answer for a day',
} as const satisfies Record<TopUpFailure, PlainMessage>

function retryMessage(ms: number): MessageLike {
  const hours = Math.max(1, Math.round(ms / 3_600_000))
  return hours === 1 ? 'It will be retried in an hour.' : messageWith('It will be retried in {hours} hours.', { hours })
}

const NOW_OFF: MessageLike = 'Automatic top-up is now off. When the balance is used up, requests are refused.'

function nextStep({ off, waitMs }: TopUpFailedEvent): MessageLike {
  if (off) return NOW_OFF
  return waitMs === 0 || waitMs === null ? 'It will be retried with the card that is saved now.' : retryMessage(waitMs)
}

function failedContent(event: TopUpFailedEvent, link: string): EmailContent {
  const amount = moneyText(event.amountNano)
  if (!event.automatic)
    return {
      subject: messageWith('Your payment of {amount} failed', { amount }),
      paragraphs: [
        messageWith('Your payment of {amount} did not go through. Nothing was paid.', { amount }),
        messageWith('Pay another way: {link}', { link }),
      ],
    }
  const [card, why] = [event.card, toMessageDescriptor(FAILURE_REASONS[event.reason])]
  const failed =
    card === null
      ? messageWith('An automatic payment of {amount} failed: {why}. Nothing was paid.', { amount, why })
      : messageWith('An automatic payment of {amount} from {card} failed: {why}. Nothing was paid.', { amount, card, why })
  return {
    subject: event.off ? 'Automatic top-up is off' : messageWith('A top-up of {amount} failed', { amount }),
    paragraphs: [
      [failed, nextStep(event)],
      event.off
        ? messageWith('Pay manually, save another card, or turn automatic top-up on again: {link}', { link })
        : messageWith('Pay manually, or save another card: {link}', { link }),
    ],
  }
}

function offReason({ reason, card, amountNano }: AutoTopUpOffEvent): MessageLike {
  const amount = moneyText(amountNano ?? 0n)
  if (reason === 'refunded') return messageWith('{amount} of an automatic payment was refunded.', { amount })
  if (reason === 'disputed') return messageWith('A payment is disputed at your bank, which took {amount} back.', { amount })
  return card === null
    ? 'The saved card was removed at Stripe.'
    : messageWith('The saved card {card} was removed at Stripe.', { card })
}

const offContent = (event: AutoTopUpOffEvent, link: string): EmailContent => ({
  subject: 'Automatic top-up is off',
  paragraphs: [
    [offReason(event), NOW_OFF],
    event.reason === 'card_removed'
      ? messageWith('Pay manually, or save another card and turn automatic top-up on again: {link}', { link })
      : messageWith('Pay manually, or turn automatic top-up on again: {link}', { link }),
  ],
})

function spendingContent({ amountNano, spentNano, keyName, period, since }: SpendingAlertEvent, link: string): EmailContent {
  const [spent, amount] = [moneyText(spentNano), moneyText(amountNano)]
  const who = keyName === null ? toMessageDescriptor('Your account') : messageWith('The key "{name}"', { name: keyName })
  const when =
    period === 'day'
      ? messageWith('on {day} (UTC)', { day: since })
      : messageWith('in {month} (UTC)', { month: since.slice(0, 7) })
  return {
    subject:
      period === 'day' ? messageWith('{spent} spent today', { spent }) : messageWith('{spent} spent this month', { spent }),
    paragraphs: [
      messageWith('{who} has spent {spent} {when}. You asked to be notified at {amount}. No requests are stopped.', {
        who,
        spent,
        when,
        amount,
      }),
      messageWith('Change when you are notified: {link}', { link }),
    ],
  }
}

/** The words of the mail for an event, or null if no mail is needed. */
function contentOf(event: Exclude<NoticeEvent, { kind: 'operator.alert' }>, link: string): EmailContent | null {
  switch (event.kind) {
    case 'balance.low': {
      // Rounded, a balance could seem to be at the mark, or above it.
      const [balance, mark] = [exactText(event.balanceNano), exactText(event.lowBalanceNano)]
      return {
        subject: messageWith('Your Tollgate balance is {balance}', { balance }),
        paragraphs: [
          messageWith('Your balance has fallen below {mark} and is now {balance}. When it is used up, requests are refused.', {
            balance,
            mark,
          }),
          messageWith('Top up, or change when you are notified: {link}', { link }),
        ],
      }
    }
    case 'top_up.succeeded': {
      // Holders who paid manually have already seen it.
      if (!event.automatic) return null
      const amount = moneyText(event.amountNano)
      const { card } = event
      const paid =
        card === null
          ? messageWith(
              'Your available balance fell below the amount that you set, so {amount} was paid from the saved card and added to it.',
              {
                amount,
              },
            )
          : messageWith(
              'Your available balance fell below the amount that you set, so {amount} was paid from {card} and added to it.',
              {
                amount,
                card,
              },
            )
      return {
        subject: messageWith('{amount} was added to your Tollgate balance', { amount }),
        paragraphs: [paid, messageWith('See the receipt and the automatic top-up settings: {link}', { link })],
      }
    }
    case 'top_up.failed':
      return failedContent(event, link)
    case 'auto_top_up.off':
      return offContent(event, link)
    case 'spending.alert':
      return spendingContent(event, link)
  }
}

/** Notifies holders by mail of what they want to hear about. An account without a user gets no mail. */
export function createEmailNotices({ mail, holders, preferences, billingUrl, alertsUrl }: EmailNoticesParts): Notices {
  return {
    async notify(event) {
      if (event.kind === 'operator.alert') {
        const { to } = event
        return mail.send({ to, ...composeAlertEmail(event, alertsUrl(), await holders.localeOf(to)) })
      }
      const content = contentOf(event, billingUrl())
      if (content === null) return
      const preference = PREFERENCE_OF_KIND[event.kind]
      if (preference !== null && !(await preferences.find(event.accountId))[preference]) return
      const holder = await holders.find(event.accountId)
      if (holder === null) return
      await mail.send(composeEmail(holder, content.subject, ...content.paragraphs))
    },
  }
}
