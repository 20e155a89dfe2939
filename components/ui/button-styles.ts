import { cva } from 'class-variance-authority'

/** The look of buttons, for links that look like one and need no script. */
export const buttonStyles = cva(
  'inline-flex shrink-0 select-none items-center justify-center gap-2 whitespace-nowrap rounded-md font-medium transition-colors disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:cursor-not-allowed aria-disabled:opacity-55 [&_svg]:shrink-0',
  {
    variants: {
      tone: {
        primary: 'bg-accent text-on-accent hover:bg-accent/95 forced-colors:border',
        plain: 'border bg-panel shadow-lift hover:bg-hover',
        ghost: 'text-second hover:bg-hover hover:text-ink',
        danger: 'bg-bad text-white hover:bg-bad/95 dark:text-page forced-colors:border',
      },
      size: { normal: 'h-8 px-3', small: 'h-7 px-2.5 text-sm', large: 'h-9 px-4', icon: 'size-8', tiny: 'size-7' },
    },
    defaultVariants: { tone: 'plain', size: 'normal' },
  },
)
