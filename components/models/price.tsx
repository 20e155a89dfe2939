import { cn } from '../cn.ts'
import type { UnitPrice } from './rates.ts'
import { useWords } from './use-words.ts'

/** A price with its unit: `$1.25 / M tokens`. */
export function Price({ price, className }: { price: UnitPrice; className?: string }) {
  const words = useWords()
  return (
    <span className={cn('figures inline-flex flex-wrap items-baseline justify-end gap-x-1 whitespace-nowrap', className)}>
      <span>{price.text}</span> <span className="text-second text-sm">{words.per(price.unit)}</span>
    </span>
  )
}
