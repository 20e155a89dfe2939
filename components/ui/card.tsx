import type { ComponentProps, ReactNode } from 'react'
import { cn } from '../cn.ts'

/** A panel with a thin border. */
export function Card({ className, ...rest }: ComponentProps<'section'>) {
  return <section className={cn('min-w-0 rounded-lg border bg-panel p-4 shadow-lift sm:p-[18px]', className)} {...rest} />
}

interface CardHeaderProps {
  title: ReactNode
  children?: ReactNode
  id?: string
}

/** The title of a card, with controls for the whole card on the right. */
export function CardHeader({ title, children, id }: CardHeaderProps) {
  return (
    <div className="flex min-h-7 flex-wrap items-center justify-between gap-x-4 gap-y-2">
      <h2 id={id} className="font-semibold">
        {title}
      </h2>
      {children}
    </div>
  )
}
