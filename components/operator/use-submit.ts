'use client'
import { useState } from 'react'
import { ApiError } from '../fetch-json.ts'
import { useErrorText } from '../use-error-text.ts'

/** Sends what a form holds, and keeps what the server found wrong: by field, or of the whole. */
export function useSubmit() {
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [general, setGeneral] = useState<string | null>(null)

  const refuse = (faults: Record<string, string>) => {
    setGeneral(null)
    setErrors(faults)
  }
  const send = async (work: () => Promise<void>) => {
    setBusy(true)
    setErrors({})
    setGeneral(null)
    try {
      await work()
    } catch (failure) {
      const field = failure instanceof ApiError ? failure.field : null
      if (field === null) setGeneral(errorText(failure))
      else setErrors({ [field]: errorText(failure) })
    }
    setBusy(false)
  }
  return { busy, errors, general, send, refuse }
}
