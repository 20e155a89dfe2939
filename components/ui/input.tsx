import type { ComponentProps } from 'react'
import { cn } from '../cn.ts'

/** What every control that is typed or chosen in looks like. Its outline keeps 3:1 to what is around it. */
export const controlLook =
  'w-full rounded-md border border-third bg-panel px-3 text-ink transition-colors placeholder:text-third hover:border-second aria-invalid:border-bad disabled:opacity-55'

/** A line of text. Sixteen pixels on phones, where a smaller one makes the browser zoom in. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={cn(controlLook, 'h-9 text-[1rem] sm:text-base', className)} {...rest} />
}

/** Several lines of text. */
export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={cn(controlLook, 'min-h-18 py-2 text-[1rem] sm:text-base', className)} {...rest} />
}
