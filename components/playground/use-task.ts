'use client'
import { useCallback, useEffect, useState } from 'react'
import { z } from 'zod'
import { asFailure, CallError, callApi, type Failure } from './call-api.ts'

/** A video task as the API returns it. Times are in seconds since 1970. */
const videoTask = z.object({
  id: z.string(),
  status: z.enum(['pending', 'processing', 'completed', 'failed']),
  model: z.string(),
  duration: z.number(),
  created_at: z.number(),
  finished_at: z.number().optional(),
  video_url: z.string().optional(),
  error: z.string().optional(),
  usage: z.json().optional(),
})
export type VideoTask = z.infer<typeof videoTask>

export const isFinished = ({ status }: VideoTask): boolean => status === 'completed' || status === 'failed'

const DEFAULT_POLL_S = 5

/** Reads a task from a response. Throws a CallError if the response is not one. */
export async function readTask(response: Response): Promise<VideoTask> {
  const parsed = videoTask.safeParse(await response.json().catch(() => null))
  if (parsed.success) return parsed.data
  throw new CallError({ status: response.status, code: 'unexpected_answer', message: '', requestId: null })
}

/** Polls a task until it is over, at the interval that the responses state. Does nothing if the id is null. */
export function useTask(id: string | null, groupId: string) {
  const [task, setTask] = useState<VideoTask | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [round, setRound] = useState(0)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new round polls again after a failure
  useEffect(() => {
    if (id === null) return
    const controller = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const poll = async () => {
      try {
        const path = `/videos/generations/${encodeURIComponent(id)}`
        const response = await callApi({ path, groupId, method: 'GET', signal: controller.signal })
        const found = await readTask(response)
        if (controller.signal.aborted) return
        setTask(found)
        setFailure(null)
        const pauseS = Number(response.headers.get('retry-after')) || DEFAULT_POLL_S
        if (!isFinished(found)) timer = setTimeout(() => void poll(), pauseS * 1000)
      } catch (error) {
        if (controller.signal.aborted) return
        const pollFailure = asFailure(error)
        setFailure(pollFailure)
        // A failure that may be temporary is retried. A task that does not exist is not requested again.
        if (pollFailure.status === 0 || pollFailure.status >= 500) timer = setTimeout(() => void poll(), DEFAULT_POLL_S * 1000)
      }
    }
    void poll()
    return () => {
      controller.abort()
      clearTimeout(timer)
    }
  }, [id, groupId, round])

  const cancel = useCallback(async () => {
    if (id === null) return
    try {
      setTask(await readTask(await callApi({ path: `/videos/generations/${encodeURIComponent(id)}/cancel`, groupId })))
    } catch (error) {
      setFailure(asFailure(error))
    }
  }, [id, groupId])

  const current = task?.id === id ? task : null
  return { task: current, failure, cancel, retry: () => setRound((before) => before + 1), put: setTask }
}
