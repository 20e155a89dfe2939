'use client'
import type { ComponentProps } from 'react'
import { cn } from '../cn.ts'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

interface NumberFieldProps extends Omit<ComponentProps<typeof Field>, 'children'> {
  name?: string
  /** What was typed, which need not be a number yet. */
  value: string
  onChange: (text: string) => void
  /** `numeric` for whole numbers. */
  inputMode?: 'decimal' | 'numeric'
  maxLength?: number
  inputClassName?: string
}

/** A labelled field for an amount or another figure. */
export function NumberField(props: NumberFieldProps) {
  const { name, value, onChange, inputMode = 'decimal', maxLength, inputClassName, ...field } = props
  return (
    <Field {...field}>
      {(control) => (
        <Input
          {...control}
          name={name}
          inputMode={inputMode}
          autoComplete="off"
          maxLength={maxLength}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={cn('figures', inputClassName)}
        />
      )}
    </Field>
  )
}
