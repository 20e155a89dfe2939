import type { Attempt, Settlement, SettlementResult } from '../../domain/settlement.ts'
import type { BookedAnswer, BookedHold, BookingResult, NewTask, Task, TaskEnd, TaskJson, TaskNext } from '../../domain/task.ts'

/** A task that was booked, or was being booked, when its client was refused. */
export type UndeliveredTask = Pick<Task, 'id' | 'accountId'>

/**
 * Tasks, as the database keeps them. An answer of false or null means that somebody else did it, or that the task is not ours
 * any more.
 */
export interface TaskPort {
  /** Writes a task with its hold, its job and its answer, or none of them. A repeat changes nothing. */
  book(task: NewTask, hold: BookedHold, answer: BookedAnswer | null): Promise<BookingResult>
  /** What the unfinished tasks of a key hold, in nano-dollars. */
  heldBy(accountId: string, keyId: string): Promise<bigint>
  find(accountId: string, id: string): Promise<Task | null>
  /** Resolves when a task is finished, after `ms`, or when nobody waits for it any more. */
  waitUntilFinished(id: string, ms: number, signal: AbortSignal): Promise<void>
  /** Takes the next turn of a task: whoever had the previous one can no longer write anything. */
  claim(id: string): Promise<Task | null>
  /** Records, before a vendor is called, that it is about to be. */
  markSubmitting(task: Task, deploymentId: string, trace: readonly Attempt[]): Promise<boolean>
  /** Records that the vendor has begun. */
  markSubmitted(task: Task, deploymentId: string, operation: TaskJson, next: TaskNext): Promise<boolean>
  /** Gives the turn back, and records when the next one is due. */
  scheduleNext(task: Task, next: TaskNext): Promise<boolean>
  /** Milliseconds until a poll may go out. The number of polls per second is limited over all processes. */
  reservePoll(perSecond: number): Promise<number>
  /** Ends a task with its charge. If `turn` is given, only while it is still that turn. */
  finish(task: Task, turn: number | null, end: TaskEnd, settlement: Settlement): Promise<SettlementResult | null>
  /** Records that the vendor of a task that ended early has been told, or never will be. */
  markStopped(task: Task): Promise<boolean>
}
