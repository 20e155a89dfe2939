'use client'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../fetch-json.ts'
import { focusFault } from '../focus-fault.ts'
import { useErrorText } from '../use-error-text.ts'

/** What is wrong with the whole of a form. */
export interface General {
  text: ReactNode
  /** What is shown is not what holds any more: it has to be loaded again. */
  stale: boolean
}

/** Somebody else has changed it, or taken it away. */
const STALE: ReadonlySet<string> = new Set(['conflict', 'not_found'])

/** The field and what it is a part of, the nearest first: `facts.sizes.0`, `facts.sizes`, `facts`. */
const partsOf = (field: string): string[] => field.split('.').map((_, at, all) => all.slice(0, all.length - at).join('.'))

/**
 * Sends what a form holds, and keeps what the server found wrong: by field, or of the whole. What is wrong with a part that
 * has no input of its own is told where the whole field has one, else of all. Of what is new (`isNew`) nothing can be loaded
 * again: what is typed of it is all there is.
 */
export function useSubmit(isNew = false) {
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [errors, setErrors] = useState<Record<string, ReactNode>>({})
  const [general, setGeneral] = useState<General | null>(null)
  const asked = useRef(new Set<string>())
  const shown = useMemo(
    () =>
      new Proxy(errors, {
        get: (all, name: string) => {
          asked.current.add(name)
          return all[name]
        },
      }),
    [errors],
  )
  useEffect(() => {
    const [field, text] = Object.entries(errors)[0] ?? []
    if (field === undefined || text === undefined || asked.current.has(field)) return
    const at = partsOf(field).find((part) => asked.current.has(part))
    setErrors(at === undefined ? {} : { [at]: text })
    if (at === undefined) setGeneral({ text, stale: false })
  }, [errors])

  useEffect(() => {
    if (Object.keys(errors).length > 0) focusFault()
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
      const stale = !isNew && failure instanceof ApiError && STALE.has(failure.code)
      if (field === null) setGeneral({ text: errorText(failure), stale })
      else setErrors({ [field]: errorText(failure) })
    }
    setBusy(false)
  }
  return { busy, errors: shown, general, send, refuse }
}
