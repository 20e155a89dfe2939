'use client'
import type { ComponentProps } from 'react'
import { cn } from '../cn.ts'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

interface NumberFieldProps extends Omit<ComponentProps<typeof Field>, 'children'> {
  name?: string
  /** The typed text, which may not be a number yet. */
  value: string
  onChange: (text: string) => void
  /** `numeric` for integers. */
  inputMode?: 'decimal' | 'numeric'
  maxLength?: number
  inputClassName?: string
}

/** A labeled field for an amount or another number. */
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
