import type { ReactNode } from 'react'
import { cn } from './cn.ts'

interface StaleContentProps {
  /** Whether the children show the previous response and not the requested one. */
  isOld: boolean
  className?: string
  children: ReactNode
}

/** Wraps a response. The previous one fades if the new one takes a moment. */
export const StaleContent = ({ isOld, className, children }: StaleContentProps) => (
  <div aria-busy={isOld} className={cn(className, isOld && 'opacity-55 transition-opacity delay-200')}>
    {children}
  </div>
)
