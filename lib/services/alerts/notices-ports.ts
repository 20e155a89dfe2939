/** Notifications to holders that are not answers to a request of theirs. Money is bigint nano-dollars, times are Date. */
import type { Locale } from '#lib/contracts/locales'
import type { TopUpFailure } from '../../domain/auto-top-up.ts'
import type { Recipient } from '../mail/mail-ports.ts'

interface NoticeBase {
  /** Unique: the same event sent again has the same id. */
  id: string
  accountId: string
  at: Date
}

/** Something that a holder should know. `card` is the card as people recognize it: `Visa •••• 4242`. */
export type NoticeEvent = NoticeBase &
  (
    | { kind: 'balance.low'; balanceNano: bigint; lowBalanceNano: bigint }
    | { kind: 'top_up.succeeded'; paymentId: string; amountNano: bigint; automatic: boolean; card: string | null }
    | {
        kind: 'top_up.failed'
        paymentId: string
        amountNano: bigint
        automatic: boolean
        card: string | null
        reason: TopUpFailure
        /** This failure switched automatic top-up off. */
        off: boolean
        /** Milliseconds until the retry; null if there is none. */
        waitMs: number | null
      }
    | {
        /** Automatic top-up was switched off, neither by its holder nor by a failure. */
        kind: 'auto_top_up.off'
        reason: 'card_removed' | 'refunded' | 'disputed'
        card: string | null
        /** What was taken back; null if the card was removed. */
        amountNano: bigint | null
      }
    | {
        kind: 'spending.alert'
        alertId: string
        period: 'day' | 'month'
        /** The first day of the period, `YYYY-MM-DD` in UTC. */
        since: string
        amountNano: bigint
        spentNano: bigint
        /** The key that the rule is about; null for the whole account. */
        keyName: string | null
      }
    | {
        /** To operators, about the gateway itself. It concerns no account. */
        kind: 'operator.alert'
        to: string
        state: 'fired' | 'resolved'
        rule: 'breaker' | 'errors' | 'balance'
        scope: 'all' | 'model' | 'connection'
        name: string
        /** The measured figures that triggered it, and those of its rule. */
        about: Record<string, unknown>
      }
  )

/** A channel for notifying holders. */
export interface Notices {
  /** Resolves when the notice has been handed on. Rejects if it has not; it is then sent again later under the same id. */
  notify(event: NoticeEvent): Promise<void>
}

/** Notices still to be sent. The store writes the rows in the transactions in which their events occur. */
export interface NoticeOutbox {
  /** Claims events that are due. Each is reserved for this caller for some minutes. */
  claim(at: Date): Promise<NoticeEvent[]>
  /** The notice was sent, or there is nobody to notify. */
  markNotified(id: string): Promise<void>
}

/** Who is notified, and in which language. */
export interface Holders {
  /** The oldest user of an account that is not closed. For PLATFORM_ACCOUNT_ID, the oldest owner. Null if there is none. */
  find(accountId: string): Promise<Recipient | null>
  /** The language of the user with an address, or English if nobody has it. */
  localeOf(email: string): Promise<Locale>
}
