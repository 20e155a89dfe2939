'use client'
import { type ReactNode, useId } from 'react'
import { cn } from '../cn.ts'

/** The attributes that connect a control to its label, hint and error. Spread them onto the control. */
export interface FieldControl {
  id: string
  'aria-describedby'?: string
  'aria-invalid'?: true
}

interface FieldProps {
  label: ReactNode
  hint?: ReactNode
  error?: ReactNode
  /** Shown at the end of the label's line. */
  aside?: ReactNode
  className?: string
  children: (control: FieldControl) => ReactNode
}

/** A labeled control with its hint. If the control is invalid, the error replaces the hint. */
export function Field({ label, hint, error, aside, className, children }: FieldProps) {
  const id = useId()
  const note = `${id}-note`
  const hasNote = error !== undefined || hint !== undefined
  return (
    <div className={cn('flex min-w-0 flex-col gap-1.5', className)}>
      <div className="flex flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {aside}
      </div>
      {children({
        id,
        ...(hasNote ? { 'aria-describedby': note } : {}),
        ...(error === undefined ? {} : { 'aria-invalid': true }),
      })}
      {hasNote && (
        <p
          id={note}
          role={error === undefined ? undefined : 'alert'}
          className={cn('text-sm', error ? 'text-bad' : 'text-second')}
        >
          {error ?? hint}
        </p>
      )}
    </div>
  )
}
