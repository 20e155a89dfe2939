/** What the verbs of the playground need from the world. */

export interface NewPlaygroundKey {
  id: string
  accountId: string
  groupId: string
  /** Whose it is, and of which of their sessions: when that number moves on, the key is over. */
  userId: string
  sessionEpoch: number
  /** What history and usage call it. */
  name: string
  hint: string
  secretHmac: Uint8Array
  createdAt: Date
  expiresAt: Date
}

export interface PlaygroundKeys {
  /** Inserts a key for calls out of the console, and tells every process, in one transaction. False where the session has ended. */
  create(key: NewPlaygroundKey, sessionId: string): Promise<boolean>
  /** Revokes those of a user that are still good, and tells every process. Answers how many. */
  revoke(userId: string, at: Date): Promise<number>
}
