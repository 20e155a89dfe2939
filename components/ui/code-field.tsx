'use client'
import type { ReactNode, RefObject } from 'react'
import { Field } from './field.tsx'
import { Input } from './input.tsx'

interface CodeFieldProps {
  label: string
  error: ReactNode
  ref?: RefObject<HTMLInputElement | null>
}

/** The field for a two-step code. */
export const CodeField = ({ label, error, ref }: CodeFieldProps) => (
  <Field label={label} error={error}>
    {(control) => (
      <Input
        {...control}
        ref={ref}
        name="code"
        autoComplete="one-time-code"
        autoCapitalize="characters"
        spellCheck={false}
        maxLength={64}
        required
        data-first
        className="figures"
      />
    )}
  </Field>
)
