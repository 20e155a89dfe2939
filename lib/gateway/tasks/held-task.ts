import type { Task } from '../../domain/task.ts'

declare const held: unique symbol

/** A task whose turn is ours, and whose hold is in the database. Only such a task reaches a vendor. */
export type HeldTask = Task & { readonly [held]: true }
