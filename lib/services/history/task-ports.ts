/** The interface that the verbs about videos in progress need. */

export interface RunningTaskRecord {
  id: string
  at: Date
  modelId: string
  keyName: string
  state: 'pending' | 'processing'
  /** The length of the video. */
  seconds: number
  heldNano: bigint
}

export interface RunningTasks {
  /** The account's newest unfinished tasks, `limit` at most, and how many unfinished ones it has in total. */
  list(accountId: string, limit: number): Promise<{ records: RunningTaskRecord[]; total: number }>
  /**
   * Asks the gateways to cancel a task of the account, once for each task however often this is called. Waits up to `waitMs`
   * for its end. Returns its state then, or null if the account has no such task.
   */
  cancel(accountId: string, id: string, waitMs: number): Promise<'pending' | 'processing' | 'completed' | 'failed' | null>
}
