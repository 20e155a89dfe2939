'use client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { asFailure, callApi, type Failure, figuresOfHeaders } from './call-api.ts'
import { completeFromHistory, type Figures, NO_FIGURES } from './figures.ts'

/** One call of the API, as a page shows it. `made` is what has arrived so far. */
export interface Run<T> {
  state: 'running' | 'done' | 'stopped' | 'failed'
  result: T
  figures: Figures
  failure: Failure | null
}

/** What the code of a call gets: the response, and functions to report progress. */
interface Progress<T> {
  response: Response
  /** Reports that the first piece has arrived. Only the first call counts. */
  markFirst(): void
  show(made: T): void
  updateFigures(change: (figures: Figures) => Figures): void
  signal: AbortSignal
}

/** Reads the response of a call, and reports what arrives. */
export type ReadRun<T> = (progress: Progress<T>) => Promise<void>

/**
 * Makes one call at a time and tracks its state. If the response does not include the cost, the history does. Leaving the page
 * stops the call.
 */
export function useRun<T>() {
  const [run, setRun] = useState<Run<T> | null>(null)
  const controller = useRef<AbortController | null>(null)
  useEffect(() => () => controller.current?.abort(), [])

  const start = useCallback(
    async (call: Omit<Parameters<typeof callApi>[0], 'signal'>, empty: T, read: ReadRun<T>): Promise<void> => {
      controller.current?.abort()
      const ownController = new AbortController()
      controller.current = ownController
      let current: Run<T> = { state: 'running', result: empty, figures: NO_FIGURES, failure: null }
      const update = (changes: Partial<Run<T>>) => {
        current = { ...current, ...changes }
        if (controller.current === ownController) setRun(current)
      }
      update({})
      const began = performance.now()
      const elapsedMs = () => performance.now() - began
      const updateFigures = (change: (before: Figures) => Figures) => update({ figures: change(current.figures) })
      try {
        const response = await callApi({ ...call, signal: ownController.signal })
        update({ figures: figuresOfHeaders(response) })
        await read({
          response,
          signal: ownController.signal,
          markFirst: () => updateFigures((before) => ({ ...before, firstMs: before.firstMs ?? elapsedMs() })),
          show: (result) => update({ result }),
          updateFigures,
        })
        update({ state: 'done' })
      } catch (error) {
        const failure = asFailure(error)
        if (ownController.signal.aborted) update({ state: 'stopped' })
        else
          update({
            state: 'failed',
            failure,
            figures: { ...current.figures, requestId: failure.requestId ?? current.figures.requestId },
          })
      }
      updateFigures((before) => ({ ...before, totalMs: elapsedMs() }))
      if (current.figures.costNano === null) {
        const known = await completeFromHistory(current.figures)
        updateFigures(() => known)
      }
    },
    [],
  )
  const stop = useCallback(() => controller.current?.abort(), [])
  const clear = useCallback(() => {
    controller.current?.abort()
    controller.current = null
    setRun(null)
  }, [])
  return { run, start, stop, clear, running: run?.state === 'running' }
}
