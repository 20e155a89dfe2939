'use client'
import type { VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import { type ComponentProps, useState } from 'react'
import { cn } from '../cn.ts'
import { buttonStyles } from './button-styles.ts'

type ButtonProps = ComponentProps<'button'> & VariantProps<typeof buttonStyles> & { asChild?: boolean }

/**
 * A button, or with `asChild` a link that looks like one. Browsers take the focus away from a disabled button. So a button that
 * has the focus is only marked with `aria-disabled`, and the reader is still there when the action ends.
 */
export function Button({ asChild = false, ...props }: ButtonProps) {
  if (!asChild) return <NativeButton {...props} />
  const { tone, size, className, ...rest } = props
  return <Slot.Root className={cn(buttonStyles({ tone, size }), className)} {...rest} />
}

function NativeButton({ tone, size, className, type = 'button', disabled = false, ...rest }: Omit<ButtonProps, 'asChild'>) {
  const [focused, setFocused] = useState(false)
  const { onFocus, onBlur, onClick, ...others } = rest
  const isSoftDisabled = disabled && focused
  return (
    <button
      {...others}
      type={type}
      className={cn(buttonStyles({ tone, size }), className)}
      disabled={disabled && !isSoftDisabled}
      {...(isSoftDisabled ? { 'aria-disabled': true } : {})}
      onFocus={(event) => {
        setFocused(true)
        onFocus?.(event)
      }}
      onBlur={(event) => {
        setFocused(false)
        onBlur?.(event)
      }}
      onClick={(event) => (isSoftDisabled ? event.preventDefault() : onClick?.(event))}
    />
  )
}
