'use client'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError } from './fetch-json.ts'
import { focusInvalidField } from './focus-invalid-field.ts'
import { useErrorText } from './use-error-text.ts'

interface Problem {
  /** The invalid field. Null if the problem is not about a single field. */
  field: string | null
  text: ReactNode
}

export interface Submit {
  busy: boolean
  problem: Problem | null
  setProblem: (problem: Problem | null) => void
  /** The error of a field, undefined if it has none. */
  errorOf(field: string): ReactNode
  /** Runs the form's task. An error is kept until the next attempt. Resolves to true on success. */
  run(task: () => Promise<void>): Promise<boolean>
}

/** The state of a small form: whether it is being submitted, and its error. */
export function useSubmit(): Submit {
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    if (problem !== null) focusInvalidField()
  }, [problem])
  return {
    busy,
    problem,
    setProblem,
    errorOf: (field) => (problem?.field === field ? problem.text : undefined),
    async run(task) {
      setBusy(true)
      setProblem(null)
      try {
        await task()
        return true
      } catch (error) {
        setProblem({ field: error instanceof ApiError ? error.field : null, text: errorText(error) })
        return false
      } finally {
        setBusy(false)
      }
    },
  }
}
