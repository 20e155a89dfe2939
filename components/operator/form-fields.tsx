import type { ReactNode, SyntheticEvent } from 'react'
import { cn } from '../cn.ts'

interface FormFieldsProps {
  mayChange: boolean
  /** Whether they are being sent. */
  busy: boolean
  className?: string
  children: ReactNode
}

const leaveOut = (event: SyntheticEvent) => {
  event.preventDefault()
  event.stopPropagation()
}

/**
 * The fields of a form in its page. Who may not change anything has them disabled. While they are sent they are disabled in
 * words alone, as a button is that was pressed: browsers take the focus from a field that is disabled, and whoever pressed
 * Enter in it would find themselves at the start of the page. What is typed meanwhile is left out, since the answer is put
 * over it.
 */
export const FormFields = ({ mayChange, busy, className, children }: FormFieldsProps) => (
  <fieldset
    disabled={!mayChange}
    {...(busy ? { 'aria-disabled': true, onChangeCapture: leaveOut, onClickCapture: leaveOut } : {})}
    className={cn('min-w-0', className, busy && 'opacity-55 transition-opacity delay-200')}
  >
    {children}
  </fieldset>
)
