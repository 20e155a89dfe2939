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
  inputClassName?: string
}

/** A labelled field for an amount or another figure. */
export function NumberField({ name, value, onChange, inputClassName, ...field }: NumberFieldProps) {
  return (
    <Field {...field}>
      {(control) => (
        <Input
          {...control}
          name={name}
          inputMode="decimal"
          autoComplete="off"
          maxLength={24}
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={cn('figures', inputClassName)}
        />
      )}
    </Field>
  )
}
