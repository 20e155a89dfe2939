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

/** The look of every control for typing or choosing. Its outline has a contrast of 3:1 to its surroundings. */
export const controlStyles =
  'w-full rounded-md border border-third bg-panel px-3 text-ink transition-colors placeholder:text-third hover:border-second aria-invalid:border-bad disabled:opacity-55'

interface TextControlProps<Field> {
  value?: unknown
  onChange?: ((event: ChangeEvent<Field>) => void) | undefined
  ref?: Ref<Field> | undefined
}

/**
 * Reports text that was typed before the page's scripts ran. React leaves it in the field but does not know it, so the state
 * would differ from the field, and a different amount would be paid than the one shown.
 */
function usePreHydrationInput<Field extends HTMLInputElement | HTMLTextAreaElement>(
  props: TextControlProps<Field>,
): RefObject<Field | null> {
  const { value, onChange, ref } = props
  const field = useRef<Field>(null)
  const isPreHydration = useRef(!useHydrated())
  useImperativeHandle(ref, () => field.current as Field)
  useLayoutEffect(() => {
    const element = field.current
    if (!isPreHydration.current || element === null) return
    isPreHydration.current = false
    if (value !== undefined && element.value !== String(value))
      onChange?.({ target: element, currentTarget: element } as unknown as ChangeEvent<Field>)
  }, [value, onChange])
  return field
}

/** A single-line text field. Its text is 16 pixels on phones, because browsers zoom in on anything smaller. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  const field = usePreHydrationInput(rest)
  return <input {...rest} ref={field} className={cn(controlStyles, 'h-9 text-ellipsis text-[1rem] sm:text-base', className)} />
}

/** A text field of several lines. */
export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  const field = usePreHydrationInput(rest)
  return <textarea {...rest} ref={field} className={cn(controlStyles, 'min-h-18 py-2 text-[1rem] sm:text-base', className)} />
}
