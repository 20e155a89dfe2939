'use client'
import type { FormEvent, ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { FormFields } from './form-fields.tsx'
import { OperatorFormError } from './operator-form-error.tsx'
import { useMayChange } from './use-may-change.ts'
import type { GeneralError } from './use-operator-submit.ts'

interface CardFormProps {
  title: string
  /** Shown next to the title. */
  aside?: ReactNode
  busy: boolean
  general: GeneralError | null
  /** The label of the submit button. */
  label: string
  onSubmit: () => void
  /** Further controls next to the submit button. */
  more?: ReactNode
  children: ReactNode
}

/** A form in a card. It is read-only for readers who may not change anything. */
export function CardForm({ title, aside, busy, general, label, onSubmit, more, children }: CardFormProps) {
  const mayChange = useMayChange()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit()
  }
  return (
    <Card>
      <CardHeader title={title}>{aside}</CardHeader>
      <form noValidate method="post" data-saves onSubmit={submit} className="mt-4">
        <FormFields mayChange={mayChange} busy={busy} className="flex max-w-xl flex-col gap-5">
          {children}
          <OperatorFormError fault={general} />
          {mayChange && (
            <div className="flex flex-wrap gap-2">
              <Button type="submit" tone="primary" disabled={busy}>
                {label}
              </Button>
              {more}
            </div>
          )}
        </FormFields>
      </form>
    </Card>
  )
}
