/** The interfaces that the playground verbs need. */

export interface NewPlaygroundKey {
  id: string
  accountId: string
  groupId: string
  /** The owner, and the epoch of their sessions. When that number increases, the key is no longer valid. */
  userId: string
  sessionEpoch: number
  /** Its name in history and usage. */
  name: string
  hint: string
  secretHmac: Uint8Array
  createdAt: Date
  expiresAt: Date
}

export interface PlaygroundKeys {
  /**
   * Inserts a key for calls from the console and notifies every process, in one transaction. Returns false if the session has
   * ended.
   */
  create(key: NewPlaygroundKey, sessionId: string): Promise<boolean>
  /** Revokes a user's keys that are still valid and notifies every process. Returns how many. */
  revoke(userId: string, at: Date): Promise<number>
}
