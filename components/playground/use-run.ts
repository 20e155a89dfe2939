'use client'
import { useCallback, useEffect, useRef, useState } from 'react'
import { asFailure, callApi, type Failure, headerFigures } from './call.ts'
import { type Figures, NO_FIGURES, recordedFigures } from './figures.ts'

/** One call of the API, as a page shows it. `made` is what has arrived so far. */
export interface Run<T> {
  state: 'running' | 'done' | 'stopped' | 'failed'
  made: T
  figures: Figures
  failure: Failure | null
}

/** What the code of a call gets: the response, and functions to report progress. */
interface Progress<T> {
  response: Response
  /** Reports that the first piece has arrived. Only the first call counts. */
  first(): void
  show(made: T): void
  figures(change: (figures: Figures) => Figures): void
  signal: AbortSignal
}

/**
 * Makes one call at a time and tracks its state. If the response does not include the cost, the history does. Leaving the page
 * stops the call.
 */
export function useRun<T>() {
  const [run, setRun] = useState<Run<T> | null>(null)
  const controller = useRef<AbortController | null>(null)
  useEffect(() => () => controller.current?.abort(), [])

  const start = useCallback(
    async (
      call: Omit<Parameters<typeof callApi>[0], 'signal'>,
      empty: T,
      read: (progress: Progress<T>) => Promise<void>,
    ): Promise<void> => {
      controller.current?.abort()
      const own = new AbortController()
      controller.current = own
      let current: Run<T> = { state: 'running', made: empty, figures: NO_FIGURES, failure: null }
      const put = (changes: Partial<Run<T>>) => {
        current = { ...current, ...changes }
        if (controller.current === own) setRun(current)
      }
      put({})
      const began = performance.now()
      const since = () => performance.now() - began
      const figures = (change: (before: Figures) => Figures) => put({ figures: change(current.figures) })
      try {
        const response = await callApi({ ...call, signal: own.signal })
        put({ figures: headerFigures(response) })
        await read({
          response,
          signal: own.signal,
          first: () => figures((before) => ({ ...before, firstMs: before.firstMs ?? since() })),
          show: (made) => put({ made }),
          figures,
        })
        put({ state: 'done' })
      } catch (error) {
        const failure = asFailure(error)
        if (own.signal.aborted) put({ state: 'stopped' })
        else
          put({
            state: 'failed',
            failure,
            figures: { ...current.figures, requestId: failure.requestId ?? current.figures.requestId },
          })
      }
      figures((before) => ({ ...before, totalMs: since() }))
      if (current.figures.costNano === null) {
        const known = await recordedFigures(current.figures)
        figures(() => known)
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
