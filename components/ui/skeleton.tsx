import { cn } from '../cn.ts'

/** Placeholder in the size of the content that is still loading. */
export const Skeleton = ({ className }: { className?: string }) => (
  <div aria-hidden className={cn('animate-wait rounded-sm bg-line', className)} />
)
