import { formatMoney, type MoneyStyle } from '#lib/domain/format-money'
import { cn } from './cn.ts'

interface MoneyProps {
  /** In nano-dollars. */
  nano: bigint | string
  style?: MoneyStyle
  className?: string
  /** Class for the digits after the cents, which are shown in a softer tone. */
  softClassName?: string
}

/** An amount of money. Every page shows every amount with this, so that they all look alike. */
export function Money({ nano, style = 'short', className, softClassName }: MoneyProps) {
  const { lead, soft } = formatMoney(nano, style)
  // Below one cent, these digits are the whole amount, so they are not softened.
  const isBelowOneCent = !/[1-9]/.test(lead) && /[1-9]/.test(soft)
  return (
    <span className={cn('figures whitespace-nowrap', className)}>
      {lead}
      {soft !== '' && <span className={cn(!isBelowOneCent && 'text-second', !isBelowOneCent && softClassName)}>{soft}</span>}
    </span>
  )
}
