'use client'
import { Check } from 'lucide-react'
import { Checkbox as Radix } from 'radix-ui'
import { type ReactNode, useId } from 'react'

interface CheckboxProps {
  checked: boolean
  onChange: (checked: boolean) => void
  label: ReactNode
  hint?: ReactNode
}

/** A checkbox with its label next to it. */
export function Checkbox({ checked, onChange, label, hint }: CheckboxProps) {
  const id = useId()
  return (
    <div className="flex min-w-0 items-start gap-2.5">
      <Radix.Root
        id={id}
        checked={checked}
        onCheckedChange={(next) => onChange(next === true)}
        {...(hint === undefined ? {} : { 'aria-describedby': `${id}-hint` })}
        className="mt-0.5 grid size-4 shrink-0 forced-color-adjust-none place-items-center rounded-[4px] border border-third bg-panel data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <Radix.Indicator>
          <Check aria-hidden strokeWidth={3} className="size-3 text-on-accent" />
        </Radix.Indicator>
      </Radix.Root>
      <div className="min-w-0">
        <label htmlFor={id} className="block break-words">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-second text-sm">
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
