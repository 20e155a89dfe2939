import { cn } from '../cn.ts'
import type { UnitPrice } from './rates.ts'
import { useModelLabels } from './use-model-labels.ts'

/** A price with its unit: `$1.25 / M tokens`. */
export function Price({ price, className }: { price: UnitPrice; className?: string }) {
  const labels = useModelLabels()
  return (
    <span className={cn('figures inline-flex flex-wrap items-baseline justify-end gap-x-1 whitespace-nowrap', className)}>
      <span>{price.text}</span> <span className="text-second text-sm">{labels.per(price.unit)}</span>
    </span>
  )
}
