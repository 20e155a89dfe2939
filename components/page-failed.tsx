'use client'
import { OctagonAlert } from 'lucide-react'
import { useFailureTexts } from './failure-texts.tsx'
import { buttonStyles } from './ui/button-styles.ts'
import { EmptyState } from './ui/empty-state.tsx'

/** Shown when a page fails to render. */
export function PageFailed({ reset }: { reset: () => void }) {
  const failure = useFailureTexts()
  if (failure === null) return null
  return (
    <main className="grid min-h-dvh place-items-center">
      <EmptyState heading="h1" icon={<OctagonAlert />} title={failure.title} text={failure.text}>
        <button type="button" onClick={reset} className={buttonStyles()}>
          {failure.retry}
        </button>
      </EmptyState>
    </main>
  )
}
