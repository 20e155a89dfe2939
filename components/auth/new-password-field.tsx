'use client'
import type { ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'

interface NewPasswordFieldProps {
  label: string
  hint: string
  error: ReactNode
  autoFocus?: boolean
}

/** The field for a new password. It has no maximum length: a pasted password would be cut without a word. */
export const NewPasswordField = ({ label, hint, error, autoFocus = false }: NewPasswordFieldProps) => (
  <Field label={label} hint={hint} error={error}>
    {(control) => (
      <Input {...control} name="password" type="password" autoComplete="new-password" required autoFocus={autoFocus} />
    )}
  </Field>
)
