'use client'
import type { FormEvent, ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { FormError } from '../ui/form-error.tsx'

interface FormCardProps {
  title: ReactNode
  /** Shown at the end of the title's line. */
  aside?: ReactNode
  text?: ReactNode
  /** An error that concerns none of the fields. */
  error?: ReactNode
  action: string
  disabled?: boolean
  onSubmit: (form: FormData, element: HTMLFormElement) => void
  children: ReactNode
}

/** A setting: a few fields and the button that saves them. */
export function FormCard({ title, aside, text, error, action, disabled = false, onSubmit, children }: FormCardProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    onSubmit(new FormData(event.currentTarget), event.currentTarget)
  }
  return (
    <Card>
      <CardHeader title={title}>{aside}</CardHeader>
      {text !== undefined && <p className="mt-1 max-w-prose text-second">{text}</p>}
      <form noValidate method="post" data-saves onSubmit={submit} className="mt-3 flex flex-col gap-4">
        {children}
        <FormError>{error}</FormError>
        <div>
          <Button type="submit" disabled={disabled}>
            {action}
          </Button>
        </div>
      </form>
    </Card>
  )
}

/** Two fields side by side, if there is room. */
export const TwoColumns = ({ children }: { children: ReactNode }) => <div className="grid gap-4 sm:grid-cols-2">{children}</div>
