import { createQueue } from '../domain/queue.ts'
import { ServiceError } from '../services/service-error.ts'

/** Runs a task when it is its caller's turn. Errors: `rate_limit_exceeded` if too many of the caller's tasks wait. */
export type Turns = <T>(whose: string, task: () => Promise<T>) => Promise<T>

const RETRY_MS = 5000

const tooMany = () =>
  new ServiceError('rate_limit_exceeded', 'Too many of your requests are waiting. Try again in a few seconds.', {
    retryAfterMs: RETRY_MS,
  })

interface Line {
  queued: <T>(task: () => Promise<T>) => Promise<T>
  inside: number
}

/** Lets each caller run `atOnce` tasks at once in this process while `waiting` more wait: others need the database too. */
export function createTurns(atOnce: number, waiting: number): Turns {
  const lines = new Map<string, Line>()
  return async (whose, task) => {
    const line = lines.get(whose) ?? { queued: createQueue(atOnce, { waiting, createError: tooMany }), inside: 0 }
    lines.set(whose, line)
    line.inside++
    try {
      return await line.queued(task)
    } finally {
      line.inside--
      if (line.inside === 0) lines.delete(whose)
    }
  }
}
