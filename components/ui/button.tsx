import { cva, type VariantProps } from 'class-variance-authority'
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { cn } from '../cn.ts'

const looks = cva(
  'inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium transition-colors disabled:cursor-not-allowed disabled:opacity-55 [&_svg]:shrink-0',
  {
    variants: {
      tone: {
        primary: 'bg-accent text-on-accent hover:bg-accent/90',
        plain: 'border bg-panel shadow-lift hover:bg-hover',
        ghost: 'text-second hover:bg-hover hover:text-ink',
        danger: 'bg-bad text-white hover:bg-bad/90 dark:text-page',
      },
      size: { normal: 'h-8 px-3', small: 'h-7 px-2.5 text-sm', icon: 'size-8', tiny: 'size-7' },
    },
    defaultVariants: { tone: 'plain', size: 'normal' },
  },
)

type ButtonProps = ComponentProps<'button'> & VariantProps<typeof looks> & { asChild?: boolean }

/** A button, or with `asChild` a link that looks like one. */
export function Button({ tone, size, asChild = false, className, type = 'button', ...rest }: ButtonProps) {
  const classes = cn(looks({ tone, size }), className)
  if (asChild) return <Slot.Root className={classes} {...rest} />
  return <button type={type} className={classes} {...rest} />
}
