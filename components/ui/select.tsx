'use client'
import { Check, ChevronDown } from 'lucide-react'
import { Select as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '../cn.ts'

export interface SelectOption {
  value: string
  label: ReactNode
}

interface SelectProps {
  value: string
  onChange: (value: string) => void
  options: SelectOption[]
  /** The accessible label. */
  label: string
  /** Shown before the selected value, in a softer tone. */
  prefix?: ReactNode
  className?: string
}

/** A single choice from a list that opens below. */
export function Select({ value, onChange, options, label, prefix, className }: SelectProps) {
  const chosen = options.find((option) => option.value === value)
  return (
    <Radix.Root value={value} onValueChange={onChange}>
      <Radix.Trigger
        aria-label={label}
        className={cn(
          'inline-flex h-7 max-w-full items-center gap-1.5 rounded-md border bg-panel px-2.5 text-sm shadow-lift transition-colors hover:bg-hover data-[state=open]:bg-hover',
          className,
        )}
      >
        {prefix !== undefined && <span className="text-second">{prefix}</span>}
        <span className="truncate font-medium">
          <Radix.Value>{chosen?.label ?? value}</Radix.Value>
        </span>
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-second" />
      </Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          position="popper"
          sideOffset={4}
          className="z-50 max-h-[min(22rem,var(--radix-select-content-available-height))] min-w-(--radix-select-trigger-width) max-w-[calc(100vw-2rem)] animate-appear overflow-y-auto rounded-md border bg-panel p-1 shadow-float"
        >
          <Radix.Viewport>
            {options.map((option) => (
              <Radix.Item
                key={option.value}
                value={option.value}
                className="relative flex h-8 cursor-default select-none items-center rounded-sm pr-3 pl-7 text-sm outline-none data-highlighted:bg-hover data-[state=checked]:font-medium"
              >
                <Radix.ItemIndicator className="absolute left-2">
                  <Check aria-hidden className="size-3.5 text-accent" />
                </Radix.ItemIndicator>
                <Radix.ItemText>{option.label}</Radix.ItemText>
              </Radix.Item>
            ))}
          </Radix.Viewport>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
