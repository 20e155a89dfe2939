import type pg from 'pg'
import type { TaskPort } from '../gateway/tasks/ports.ts'
import { settlementRow } from '../ledger/settlement-row.ts'
import { PgTaskStore } from '../store/task-store.ts'

const POLL_INTERVAL_MS = 500

/** The callers that wait for tasks. One query to the database serves all of them. */
class TaskWaiters {
  readonly #store: Pick<PgTaskStore, 'finishedOf'>
  readonly #waiting = new Map<string, Set<() => void>>()
  #timer: NodeJS.Timeout | null = null

  constructor(store: Pick<PgTaskStore, 'finishedOf'>) {
    this.#store = store
  }

  /** Resolves when a task is finished, after `ms`, or when `signal` is aborted because nobody waits any more. */
  waitUntilFinished(id: string, ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const finishWaiting = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', finishWaiting)
        const others = this.#waiting.get(id)
        others?.delete(finishWaiting)
        if (others?.size === 0) this.#waiting.delete(id)
        resolve()
      }
      const timer = setTimeout(finishWaiting, ms)
      if (signal.aborted) return finishWaiting()
      signal.addEventListener('abort', finishWaiting)
      const waiting = this.#waiting.get(id) ?? new Set()
      waiting.add(finishWaiting)
      this.#waiting.set(id, waiting)
      this.#timer ??= setTimeout(() => void this.#poll(), POLL_INTERVAL_MS)
    })
  }

  async #poll(): Promise<void> {
    const finished = await this.#store.finishedOf([...this.#waiting.keys()]).catch(() => [])
    for (const id of finished) for (const done of [...(this.#waiting.get(id) ?? [])]) done()
    this.#timer = this.#waiting.size > 0 ? setTimeout(() => void this.#poll(), POLL_INTERVAL_MS) : null
  }
}

/** Opens the tasks of a database, for a process whose name `owner` returns. */
export function openTasks(pool: pg.Pool, owner: () => string): { store: PgTaskStore; port: TaskPort } {
  const store = new PgTaskStore(pool)
  const waiters = new TaskWaiters(store)
  const port: TaskPort = {
    book: (task, hold, answer) => store.book(task, hold, answer),
    heldBy: (accountId, keyId) => store.heldBy(accountId, keyId),
    find: (accountId, id) => store.find(accountId, id),
    waitUntilFinished: (id, ms, signal) => waiters.waitUntilFinished(id, ms, signal),
    claim: (id) => store.claim(id, owner()),
    markSubmitting: (task, deploymentId, trace) => store.submitting(task, deploymentId, trace),
    markSubmitted: (task, deploymentId, operation, next) => store.submitted(task, deploymentId, operation, next),
    scheduleNext: (task, next) => store.later(task, next),
    reservePoll: (perSecond) => store.takePlace(perSecond),
    finish: (task, turn, end, settlement) => store.finish(task, turn, end, settlementRow(settlement)),
    markStopped: (task) => store.stopped(task),
  }
  return { store, port }
}
