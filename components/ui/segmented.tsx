'use client'
import { RadioGroup } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '../cn.ts'

interface SegmentedProps<T extends string> {
  label: string
  value: T
  onChange: (value: T) => void
  options: { value: T; label: ReactNode }[]
  className?: string
}

/** A single choice among few options, all visible. */
export function Segmented<T extends string>({ label, value, onChange, options, className }: SegmentedProps<T>) {
  return (
    <RadioGroup.Root
      aria-label={label}
      value={value}
      onValueChange={(next) => onChange(next as T)}
      orientation="horizontal"
      className={cn('inline-flex h-7 rounded-md border bg-panel', className)}
    >
      {options.map((option) => (
        <RadioGroup.Item
          key={option.value}
          value={option.value}
          className="inline-flex items-center px-2.5 text-second text-sm transition-colors first:rounded-l-[7px] last:rounded-r-[7px] hover:text-ink data-[state=checked]:bg-hover data-[state=checked]:font-medium data-[state=checked]:text-ink"
        >
          {option.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}
