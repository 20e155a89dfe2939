import type { ReactNode, SyntheticEvent } from 'react'
import { cn } from '../cn.ts'

interface FormFieldsProps {
  mayChange: boolean
  /** Whether the fields are being sent. */
  busy: boolean
  className?: string
  children: ReactNode
}

const ignoreEvent = (event: SyntheticEvent) => {
  event.preventDefault()
  event.stopPropagation()
}

/**
 * The fields of a form within a page, disabled for readers who may not change anything. While they are sent they are only
 * marked with `aria-disabled`: browsers take the focus away from a disabled field, so after Enter the focus would jump to the
 * start of the page. Input during that time is ignored, because the response replaces it.
 */
export const FormFields = ({ mayChange, busy, className, children }: FormFieldsProps) => (
  <fieldset
    disabled={!mayChange}
    {...(busy ? { 'aria-disabled': true, onChangeCapture: ignoreEvent, onClickCapture: ignoreEvent } : {})}
    className={cn('min-w-0', className, busy && 'opacity-55 transition-opacity delay-200')}
  >
    {children}
  </fieldset>
)
