/** What holders are told without having asked at that moment. Money is bigint nano-dollars, times are Date. */
import type { Locale } from '#lib/contracts/locales'
import type { TopUpFailure } from '../../domain/auto-top-up.ts'
import type { Reader } from '../mail/mail-ports.ts'

interface Told {
  /** Unique: the same event told again has the same id. */
  id: string
  accountId: string
  at: Date
}

/** Something that a holder should hear of. `card` is how people call a card: `Visa •••• 4242`. */
export type NoticeEvent = Told &
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
        /** Automatic top-up is switched off by it. */
        off: boolean
        /** In how many milliseconds it is tried again; null where it is not. */
        waitMs: number | null
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
        /** To operators, about the gateway itself; there is no account in it. */
        kind: 'operator.alert'
        to: string
        state: 'fired' | 'resolved'
        rule: 'breaker' | 'errors' | 'balance'
        scope: 'all' | 'model' | 'connection'
        name: string
        /** The figures that it was found by, and those of its rule. */
        about: Record<string, unknown>
      }
  )

/** Ways in which holders are told. */
export interface Notices {
  /** Resolves when it has been handed on; rejects where it has not, and is then told again later under the same id. */
  tell(event: NoticeEvent): Promise<void>
}

/** What has still to be told. Rows are written by the store, in the transactions in which their events come to be. */
export interface NoticeBox {
  /** Events whose turn it is. Each is this caller's alone for some minutes. */
  claim(at: Date): Promise<NoticeEvent[]>
  /** It was told, or nobody is there to be told. */
  told(id: string): Promise<void>
}

/** Who is told, and in which language. */
export interface Holders {
  /** The oldest user of an account that is not closed; of HOUSE the oldest owner; null without any. */
  of(accountId: string): Promise<Reader | null>
  /** The language of who has an address; English where nobody has it. */
  localeOf(email: string): Promise<Locale>
}
