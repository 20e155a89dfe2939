import type { MailWishes } from '#lib/contracts/account'
import type { TopUpFailure } from '../domain/auto-top-up.ts'
import { formatMoney } from '../domain/format-money.ts'
import type { MailWishStore } from './account-ports.ts'
import { alertMail } from './alert-mail.ts'
import { greetingOf } from './greeting.ts'
import type { Holders, NoticeEvent, Notices } from './notices-ports.ts'

interface Parts {
  mail: { send(mail: { to: string; subject: string; text: string }): Promise<void> }
  holders: Holders
  wishes: MailWishStore
  /** The address of the billing page. */
  billingUrl(): string
  /** That of the operators' alerts. */
  alertsUrl(): string
}

type Failed = Extract<NoticeEvent, { kind: 'top_up.failed' }>
type Words = { subject: string; lines: string[] }

/** Which mails can be done without. That a payment failed, everybody has to know. */
const WISH: Record<NoticeEvent['kind'], keyof MailWishes | null> = {
  'balance.low': 'lowBalance',
  'top_up.succeeded': 'receipts',
  'top_up.failed': null,
  'spending.alert': 'alerts',
  'operator.alert': null,
}

const money = (nano: bigint): string => formatMoney(nano).text

const WHY: Record<TopUpFailure, string> = {
  declined: 'your bank declined it',
  funds: 'there is not enough on the card',
  expired: 'the card has expired',
  authentication: 'your bank wants you to confirm it yourself',
  card_gone: 'the card is not saved at Stripe any more',
  refused: 'Stripe refused it',
  unanswered: 'Stripe did not answer for a day',
}

const hours = (ms: number): string => {
  const count = Math.max(1, Math.round(ms / 3_600_000))
  return count === 1 ? 'an hour' : `${count} hours`
}

function failedWords({ amountNano, automatic, card, reason, off, waitMs }: Failed, page: string): Words {
  const amount = money(amountNano)
  if (!automatic)
    return {
      subject: `Your payment of ${amount} failed`,
      lines: [`your payment of ${amount} failed after all. Nothing was paid.`, '', `Pay in another way: ${page}`],
    }
  const from = card === null ? '' : ` from ${card}`
  const next = off
    ? 'Automatic top-up is off now: when the balance is used up, requests are refused.'
    : waitMs === 0 || waitMs === null
      ? 'It is tried again with the card that is saved now.'
      : `It is tried again in ${hours(waitMs)}.`
  return {
    subject: off ? 'Automatic top-up is off' : `A top-up of ${amount} failed`,
    lines: [
      `an automatic payment of ${amount}${from} failed: ${WHY[reason]}. Nothing was paid.`,
      next,
      '',
      `Pay by hand, save another card, or switch automatic top-up on again: ${page}`,
    ],
  }
}

/** What a mail says of an event; null where no mail is needed. */
function wordsOf(event: Exclude<NoticeEvent, { kind: 'operator.alert' }>, page: string): Words | null {
  switch (event.kind) {
    case 'balance.low': {
      const [balance, mark] = [money(event.balanceNano), money(event.lowBalanceNano)]
      return {
        subject: `Your Tollgate balance is ${balance}`,
        lines: [
          `your balance has fallen below ${mark}, and is ${balance} now. When it is used up, requests are refused.`,
          '',
          `Top up, or change when you are told: ${page}`,
        ],
      }
    }
    case 'top_up.succeeded': {
      // Who paid by hand has seen it.
      if (!event.automatic) return null
      const amount = money(event.amountNano)
      const from = event.card === null ? 'the saved card' : event.card
      return {
        subject: `${amount} was added to your Tollgate balance`,
        lines: [
          `your free balance was below what you set, so ${amount} was paid from ${from} and added to it.`,
          '',
          `The receipt, and automatic top-up itself: ${page}`,
        ],
      }
    }
    case 'top_up.failed':
      return failedWords(event, page)
    case 'spending.alert': {
      const [spent, amount] = [money(event.spentNano), money(event.amountNano)]
      const who = event.keyName === null ? 'your account' : `the key "${event.keyName}"`
      const when = event.period === 'day' ? `on ${event.since} (UTC)` : `in ${event.since.slice(0, 7)} (UTC)`
      return {
        subject: `${spent} spent ${event.period === 'day' ? 'today' : 'this month'}`,
        lines: [
          `${who} has spent ${spent} ${when}, and you wanted to know at ${amount}. Nothing is stopped by this.`,
          '',
          `Change when you are told: ${page}`,
        ],
      }
    }
  }
}

/** Tells holders by mail what they want to hear of. An account without a user is told nothing. */
export function createMailNotices({ mail, holders, wishes, billingUrl, alertsUrl }: Parts): Notices {
  return {
    async tell(event) {
      if (event.kind === 'operator.alert') return mail.send({ to: event.to, ...alertMail(event, alertsUrl()) })
      const words = wordsOf(event, billingUrl())
      if (words === null) return
      const wish = WISH[event.kind]
      if (wish !== null && !(await wishes.of(event.accountId))[wish]) return
      const holder = await holders.of(event.accountId)
      if (holder === null) return
      const text = [greetingOf(holder.name), '', ...words.lines].join('\n')
      await mail.send({ to: holder.email, subject: words.subject, text })
    },
  }
}
