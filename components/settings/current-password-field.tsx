'use client'
import type { ReactNode } from 'react'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'

interface CurrentPasswordFieldProps {
  label: string
  name: string
  error: ReactNode
}

/** The field for the current password. */
export const CurrentPasswordField = ({ label, name, error }: CurrentPasswordFieldProps) => (
  <Field label={label} error={error}>
    {(control) => <Input {...control} name={name} type="password" autoComplete="current-password" required />}
  </Field>
)
