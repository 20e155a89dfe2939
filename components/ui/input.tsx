'use client'
import {
  type ChangeEvent,
  type ComponentProps,
  type Ref,
  type RefObject,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react'
import { cn } from '../cn.ts'
import { useHydrated } from '../use-hydrated.ts'

/** What every control that is typed or chosen in looks like. Its outline keeps 3:1 to what is around it. */
export const controlLook =
  'w-full rounded-md border border-third bg-panel px-3 text-ink transition-colors placeholder:text-third hover:border-second aria-invalid:border-bad disabled:opacity-55'

interface TypedProps<Field> {
  value?: unknown
  onChange?: ((event: ChangeEvent<Field>) => void) | undefined
  ref?: Ref<Field> | undefined
}

/**
 * Tells whoever keeps a field's text what was typed in it before the page's scripts ran: React leaves that in the field and
 * does not know it, so that another amount would be paid than stands there.
 */
function useTypedEarly<Field extends HTMLInputElement | HTMLTextAreaElement>(props: TypedProps<Field>): RefObject<Field | null> {
  const { value, onChange, ref } = props
  const field = useRef<Field>(null)
  const early = useRef(!useHydrated())
  useImperativeHandle(ref, () => field.current as Field)
  useLayoutEffect(() => {
    const now = field.current
    if (!early.current || now === null) return
    early.current = false
    if (value !== undefined && now.value !== String(value))
      onChange?.({ target: now, currentTarget: now } as unknown as ChangeEvent<Field>)
  }, [value, onChange])
  return field
}

/** A line of text. Sixteen pixels on phones, where a smaller one makes the browser zoom in. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  const field = useTypedEarly(rest)
  return <input {...rest} ref={field} className={cn(controlLook, 'h-9 text-[1rem] sm:text-base', className)} />
}

/** Several lines of text. */
export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  const field = useTypedEarly(rest)
  return <textarea {...rest} ref={field} className={cn(controlLook, 'min-h-18 py-2 text-[1rem] sm:text-base', className)} />
}
