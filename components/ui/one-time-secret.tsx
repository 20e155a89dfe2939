import { TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { CopyButton } from './copy-button.tsx'

/** Says that the following is shown only now. */
export const ShownOnceNote = ({ children }: { children: ReactNode }) => (
  <p className="flex gap-2.5 rounded-md bg-warn-tint px-3 py-2.5">
    <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
    {children}
  </p>
)

interface OneTimeSecretProps {
  secret: string
  /** The accessible label of the copy button. */
  label: string
  testId: string
  /** The button's text. */
  children: string
}

/** A secret with a copy button. */
export const OneTimeSecret = ({ secret, label, testId, children }: OneTimeSecretProps) => (
  <div className="flex flex-wrap items-center gap-2">
    <code
      data-testid={testId}
      className="min-w-0 flex-1 basis-64 select-all break-all rounded-md border border-third bg-page px-3 py-2 font-mono"
    >
      {secret}
    </code>
    <CopyButton text={secret} label={label} tone="primary">
      {children}
    </CopyButton>
  </div>
)
