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
  inputClassName?: string
}

/** A labeled field for an amount or another number. It has no maximum length: a pasted number would be cut into another one. */
export function NumberField(props: NumberFieldProps) {
  const { name, value, onChange, inputMode = 'decimal', inputClassName, ...field } = props
  return (
    <Field {...field}>
      {(control) => (
        <Input
          {...control}
          name={name}
          inputMode={inputMode}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.target.value)}
          className={cn('figures', inputClassName)}
        />
      )}
    </Field>
  )
}
