import { createQueue } from '../domain/queue.ts'
import { ServiceError } from '../services/service-error.ts'

/** Runs a task when it is its caller's turn. Errors: `rate_limit_exceeded` if too many of the caller's tasks wait. */
export type CallerQueue = <T>(callerId: string, task: () => Promise<T>) => Promise<T>

const RETRY_MS = 5000

const createTooManyError = () =>
  new ServiceError('rate_limit_exceeded', 'Too many of your requests are waiting. Try again in a few seconds.', {
    retryAfterMs: RETRY_MS,
  })

interface CallerEntry {
  enqueue: <T>(task: () => Promise<T>) => Promise<T>
  activeCount: number
}

/** Lets each caller run `concurrency` tasks at once in this process while `maxWaiting` more wait: others need the database too. */
export function createCallerQueue(concurrency: number, maxWaiting: number): CallerQueue {
  const entries = new Map<string, CallerEntry>()
  return async (callerId, task) => {
    const entry = entries.get(callerId) ?? {
      enqueue: createQueue(concurrency, { waiting: maxWaiting, createError: createTooManyError }),
      activeCount: 0,
    }
    entries.set(callerId, entry)
    entry.activeCount++
    try {
      return await entry.enqueue(task)
    } finally {
      entry.activeCount--
      if (entry.activeCount === 0) entries.delete(callerId)
    }
  }
}
