import { Field } from '../ui/field.tsx'
import { Textarea } from '../ui/input.tsx'

interface TextFieldProps {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  rows: number
}

/** A text for a model: a prompt or an instruction. */
export function TextField({ label, placeholder, value, onChange, rows }: TextFieldProps) {
  return (
    <Field label={label}>
      {(control) => (
        <Textarea
          {...control}
          rows={rows}
          value={value}
          placeholder={placeholder}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  )
}
