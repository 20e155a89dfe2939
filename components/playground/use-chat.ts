'use client'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { JsonRecord } from '../history/json.ts'
import { asFailure, callApi, figuresOfHeaders } from './call-api.ts'
import { chatBody } from './chat-params.ts'
import { isFirstToken, withChunk } from './chat-stream.ts'
import { applyChange, type Change, messagesFor } from './chat-turns.ts'
import type { Answer, Exchange } from './chat-types.ts'
import { completeMissing } from './complete-missing.ts'
import { completeFromHistory } from './figures.ts'
import { newAnswer } from './new-answer.ts'

/** How a lane's model is called. */
export interface Lane {
  groupId: string
  model: string
  system: string
  fields: JsonRecord
  /** Whether the model accepts images. */
  pictures: boolean
}

/** How often a stream is rendered, in milliseconds, however many chunks it has. */
const RENDER_INTERVAL_MS = 50

/**
 * Streams one answer and reports it as it grows. The last report, which is also returned, is finished: done, stopped or failed.
 */
async function streamAnswer(
  lane: Lane,
  body: JsonRecord,
  signal: AbortSignal,
  onUpdate: (answer: Answer) => void,
): Promise<Answer> {
  let answer = newAnswer(lane.model, { body })
  onUpdate(answer)
  const began = performance.now()
  let shownAt = 0
  try {
    const response = await callApi({ path: '/chat/completions', groupId: lane.groupId, body, signal })
    answer = { ...answer, figures: figuresOfHeaders(response) }
    const { readEvents } = await import('./read-events.ts')
    for await (const chunk of readEvents(response, { marked: true })) {
      const now = performance.now()
      if (answer.figures.firstMs === null && isFirstToken(chunk))
        answer = { ...answer, figures: { ...answer.figures, firstMs: now - began } }
      answer = withChunk(answer, chunk)
      if (now - shownAt < RENDER_INTERVAL_MS) continue
      shownAt = now
      onUpdate(answer)
    }
    answer = { ...answer, state: 'done' }
  } catch (error) {
    const failure = signal.aborted ? null : asFailure(error)
    const requestId = failure?.requestId ?? answer.figures.requestId
    answer = { ...answer, state: failure ? 'failed' : 'stopped', failure, figures: { ...answer.figures, requestId } }
  }
  answer = { ...answer, figures: { ...answer.figures, totalMs: performance.now() - began } }
  onUpdate(answer)
  return answer
}

/** Marks answers as stopped that were in progress when the page was left. */
const withRunningStopped = (exchanges: Exchange[]): Exchange[] =>
  exchanges.map((exchange) => ({
    ...exchange,
    lanes: exchange.lanes.map((answers) =>
      answers.map((answer) => (answer.state === 'running' ? { ...answer, state: 'stopped' as const } : answer)),
    ),
  }))

/** A conversation: its exchanges, changes to them, and calls that continue it. */
export function useChat(stored: Exchange[], save: (exchanges: Exchange[]) => void) {
  const [exchanges, setExchanges] = useState(() => withRunningStopped(stored))
  const latest = useRef(exchanges)
  const running = useRef(new Set<AbortController>())
  const [busy, setBusy] = useState(0)

  const apply = useCallback(
    (change: Change) => {
      latest.current = applyChange(latest.current, change)
      setExchanges(latest.current)
      save(latest.current)
    },
    [save],
  )
  const stop = useCallback(() => {
    for (const controller of running.current) controller.abort()
  }, [])
  useEffect(() => stop, [stop])
  useEffect(() => {
    void completeMissing(latest.current, completeFromHistory, (answerId, figures) => apply({ do: 'figures', answerId, figures }))
  }, [apply])

  /** Calls the model of one lane for its next answer. */
  const ask = useCallback(
    async (exchangeId: string, at: number, lane: Lane): Promise<void> => {
      const controller = new AbortController()
      running.current.add(controller)
      setBusy(running.current.size)
      const messages = messagesFor(lane.system, latest.current, { ...lane, exchangeId, lane: at })
      const { id, figures } = await streamAnswer(
        lane,
        chatBody(lane.model, messages, lane.fields),
        controller.signal,
        (answer) => {
          if (answer.state !== 'running') running.current.delete(controller)
          apply({ do: 'answer', exchangeId, lane: at, answer })
          setBusy(running.current.size)
        },
      )
      if (figures.costNano === null) apply({ do: 'figures', answerId: id, figures: await completeFromHistory(figures) })
    },
    [apply],
  )
  return { exchanges, apply, ask, stop, running: busy > 0 }
}
