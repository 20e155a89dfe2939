'use client'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../fetch-json.ts'
import { focusInvalidField } from '../focus-invalid-field.ts'
import { useErrorText } from '../use-error-text.ts'

/** An error that concerns the whole form. */
export interface GeneralError {
  text: ReactNode
  /** The form shows outdated data and has to be loaded again. */
  stale: boolean
}

/** Somebody else has changed or removed the record. */
const STALE_CODES: ReadonlySet<string> = new Set(['conflict', 'not_found'])

/** The field and its parents, the nearest first: `facts.sizes.0`, `facts.sizes`, `facts`. */
const fieldAndParents = (field: string): string[] => field.split('.').map((_, at, all) => all.slice(0, all.length - at).join('.'))

/**
 * Sends a form and keeps the errors of the server, by field or for the whole form. An error of a part that has no input of its
 * own is shown at the nearest parent field that has one, or else for the whole form. A new record (`isNew`) cannot be loaded
 * again: it exists only in the form.
 */
export function useOperatorSubmit(isNew = false) {
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Record<string, ReactNode>>({})
  const [general, setGeneral] = useState<GeneralError | null>(null)
  const readFields = useRef(new Set<string>())
  const trackedErrors = useMemo(
    () =>
      new Proxy(errors, {
        get: (all, name: string) => {
          readFields.current.add(name)
          return all[name]
        },
      }),
    [errors],
  )
  useEffect(() => {
    const [field, text] = Object.entries(errors)[0] ?? []
    if (field === undefined || text === undefined || readFields.current.has(field)) return
    const shownField = fieldAndParents(field).find((part) => readFields.current.has(part))
    setErrors(shownField === undefined ? {} : { [shownField]: text })
    if (shownField === undefined) setGeneral({ text, stale: false })
  }, [errors])

  useEffect(() => {
    if (Object.keys(errors).length > 0) focusInvalidField()
  }, [errors])

  const refuse = (faults: Record<string, ReactNode>) => {
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
      const stale = !isNew && failure instanceof ApiError && STALE_CODES.has(failure.code)
      if (field === null) setGeneral({ text: errorText(failure), stale })
      else setErrors({ [field]: errorText(failure) })
    }
    setBusy(false)
  }
  return { busy, errors: trackedErrors, general, send, refuse }
}
