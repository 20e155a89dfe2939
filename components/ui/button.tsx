import type { VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '../cn.ts'
import { buttonLook } from './button-look.ts'

type ButtonProps = ComponentProps<'button'> & VariantProps<typeof buttonLook> & { asChild?: boolean }

/** A button, or with `asChild` a link that looks like one. */
export function Button({ tone, size, asChild = false, className, type = 'button', ...rest }: ButtonProps) {
  const classes = cn(buttonLook({ tone, size }), className)
  if (asChild) return <Slot.Root className={classes} {...rest} />
  return <button type={type} className={classes} {...rest} />
}
