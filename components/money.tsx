import { formatMoney, type MoneyStyle } from '#lib/domain/format-money'
import { cn } from './cn.ts'

interface MoneyProps {
  /** Nano-dollars. */
  nano: bigint | string
  style?: MoneyStyle
  className?: string
  /** For the digits beyond the cents, which are softer than the rest. */
  softClassName?: string
}

/** An amount of money. Every amount on every page is written by this, so that they all read alike. */
export function Money({ nano, style = 'short', className, softClassName }: MoneyProps) {
  const { lead, soft } = formatMoney(nano, style)
  // Below a cent the digits beyond are all there is to the amount, so they are not played down.
  const tiny = !/[1-9]/.test(lead) && /[1-9]/.test(soft)
  return (
    <span className={cn('figures whitespace-nowrap', className)}>
      {lead}
      {soft !== '' && <span className={cn(!tiny && 'text-second', !tiny && softClassName)}>{soft}</span>}
    </span>
  )
}
