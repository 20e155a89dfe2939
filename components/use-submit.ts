'use client'
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError } from './fetch-json.ts'
import { focusFault } from './focus-fault.ts'
import { useErrorText } from './use-error-text.ts'

interface Problem {
  /** The field at fault; null where it is none. */
  field: string | null
  text: ReactNode
}

export interface Submit {
  busy: boolean
  problem: Problem | null
  setProblem: (problem: Problem | null) => void
  /** What is wrong with a field; with null, what is wrong with none of the fields named. */
  errorOf(field: string): ReactNode
  /** Does what a form is for. What goes wrong is kept until the next try. True where it worked. */
  run(task: () => Promise<void>): Promise<boolean>
}

/** What every small form keeps: whether it is being sent, and what was wrong with it. */
export function useSubmit(): Submit {
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  useEffect(() => {
    if (problem !== null) focusFault()
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
