'use client'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'

/** Where a code of the second step is typed. */
export const CodeField = ({ label, error }: { label: string; error: string | undefined }) => (
  <Field label={label} error={error}>
    {(control) => (
      <Input
        {...control}
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
