import { cva, type VariantProps } from 'class-variance-authority'
import type { ComponentProps } from 'react'
import { cn } from '../cn.ts'

const tagStyles = cva('inline-flex max-w-full items-center gap-1.5 whitespace-nowrap rounded-sm px-1.5 py-0.5 text-xs', {
  variants: {
    tone: {
      plain: 'bg-hover text-second',
      good: 'bg-tint text-accent',
      bad: 'bg-bad-tint text-bad',
      warn: 'bg-warn-tint text-warn-ink',
    },
  },
  defaultVariants: { tone: 'plain' },
})

export type Tone = NonNullable<VariantProps<typeof tagStyles>['tone']>

/** A state in one or two words. */
export function Tag({ tone, className, ...rest }: ComponentProps<'span'> & VariantProps<typeof tagStyles>) {
  return <span className={cn(tagStyles({ tone }), className)} {...rest} />
}

const dotStyles: Record<Tone, string> = { plain: 'bg-third', good: 'bg-accent', bad: 'bg-bad', warn: 'bg-warn' }

/** A state as a dot. Always next to text that says the same. */
export const Dot = ({ tone, className }: { tone: Tone; className?: string }) => (
  <span
    aria-hidden
    className={cn('inline-block size-[7px] shrink-0 forced-color-adjust-none rounded-full', dotStyles[tone], className)}
  />
)
