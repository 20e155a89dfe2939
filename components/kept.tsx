import type { ReactNode } from 'react'
import { cn } from './cn.ts'

interface KeptProps {
  /** Whether inside stands the answer before the one that is asked for. */
  isOld: boolean
  className?: string
  children: ReactNode
}

/** What an answer is drawn in: where it is the last one, and the new one takes a moment, it fades. */
export const Kept = ({ isOld, className, children }: KeptProps) => (
  <div aria-busy={isOld} className={cn(className, isOld && 'opacity-55 transition-opacity delay-200')}>
    {children}
  </div>
)
