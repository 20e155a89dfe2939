import { cn } from '../cn.ts'

/** Where something will be, in the size it will have. */
export const Skeleton = ({ className }: { className?: string }) => (
  <div aria-hidden className={cn('animate-wait rounded-sm bg-line', className)} />
)
