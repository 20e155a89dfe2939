'use client'
import { useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../fetch-json.ts'
import { useErrorText } from '../use-error-text.ts'

/** What is wrong with a field, or with a part of it: `facts` is told what is wrong with `facts.sizes`. */
const faultOf = (errors: Record<string, string>, field: string): string | undefined =>
  Object.entries(errors).find(([name]) => name === field || name.startsWith(`${field}.`))?.[1]

/**
 * Sends what a form holds, and keeps what the server found wrong: by field, or of the whole. What is wrong with a field that
 * no input of the form asks about is told of the whole.
 */
export function useSubmit() {
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Record<string, string>>({})
  const [general, setGeneral] = useState<string | null>(null)
  const asked = useRef(new Set<string>())
  const shown = useMemo(
    () =>
      new Proxy(errors, {
        get: (all, name) => {
          asked.current.add(String(name))
          return faultOf(all, String(name))
        },
      }),
    [errors],
  )
  useEffect(() => {
    const [text] = Object.values(errors)
    if (text !== undefined && [...asked.current].every((field) => faultOf(errors, field) === undefined)) setGeneral(text)
  }, [errors])

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
  return { busy, errors: shown, general, send, refuse }
}
