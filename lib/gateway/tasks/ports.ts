import type { Attempt, Settled, Settlement } from '../../domain/settlement.ts'
import type { Booked, BookedAnswer, BookedHold, NewTask, Task, TaskEnd, TaskJson, TaskNext } from '../../domain/task.ts'

/** Tasks, as the database keeps them. What answers false or null was done by somebody else, or is not ours any more. */
export interface TaskPort {
  /** Writes a task down with its hold, its job and its answer, or none of them. A repeat changes nothing. */
  book(task: NewTask, hold: BookedHold, answer: BookedAnswer | null): Promise<Booked>
  /** What the unfinished tasks of a key hold, in nano-dollars. */
  heldBy(accountId: string, keyId: string): Promise<bigint>
  find(accountId: string, id: string): Promise<Task | null>
  /** Resolves when a task is finished, or after `ms`, or when nobody waits any more. */
  finished(id: string, ms: number, signal: AbortSignal): Promise<void>
  /** Takes the next turn of a task: whoever had it before can write nothing any more. */
  claim(id: string): Promise<Task | null>
  /** Notes, before a vendor is called, that it is. */
  submitting(task: Task, deploymentId: string, trace: readonly Attempt[]): Promise<boolean>
  /** The vendor has begun. */
  submitted(task: Task, deploymentId: string, operation: TaskJson, next: TaskNext): Promise<boolean>
  /** Gives the turn back, and says when the next one is due. */
  later(task: Task, next: TaskNext): Promise<boolean>
  /** Milliseconds until a poll may go out: there are so many a second, over all processes. */
  takePlace(perSecond: number): Promise<number>
  /** Ends a task with its charge. Where `turn` is given, only if it is still that one. */
  finish(task: Task, turn: number | null, end: TaskEnd, settlement: Settlement): Promise<Settled | null>
  /** The vendor of a task that ended before it has been told, or never will be. */
  stopped(task: Task): Promise<boolean>
}
