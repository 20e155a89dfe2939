import type { ModelPrice } from './price.ts'
import type { Attempt } from './settlement.ts'

/** States of a task, which only move forward. Specification 3. */
export type TaskState = 'pending' | 'processing' | 'completed' | 'failed'

/** What a vendor is asked. */
export interface VideoAsk {
  prompt: string
  seconds: number
}

/** Upright or lying, as the provider packages have it. */
export type VideoAspect = '9:16' | '16:9'

const LANDSCAPE = '-landscape'

/** How a model's videos lie: of a pair, the one whose name ends so makes them in landscape. Specification 4.9. */
export function aspectOf(modelId: string, offered: { has(id: string): boolean }): VideoAspect | null {
  if (modelId.endsWith(LANDSCAPE)) return '16:9'
  return offered.has(modelId + LANDSCAPE) ? '9:16' : null
}

/** What a task is charged by, as it was when it was admitted. */
export interface TaskPin {
  price: ModelPrice
  groupName: string
  multiplierBp: bigint
}

/** What JSON can say. */
export type TaskJson = null | boolean | number | string | TaskJson[] | { [key: string]: TaskJson | undefined }

/** Work that outlives the request that asked for it, as it is booked. */
export interface NewTask {
  id: string
  /** The request that asked for it: its usage record has this id. */
  requestId: string
  accountId: string
  keyId: string
  groupId: string
  modelId: string
  /** As it stands in usage records. */
  endpoint: string
  ask: VideoAsk
  /** The request as history keeps it; null where none is kept. */
  asked: TaskJson
  pin: TaskPin
  holdNano: bigint
  keepHistory: boolean
  /** What the gateway itself took for the request, in milliseconds. */
  ownMs: number
  createdAt: Date
  expiresAt: Date
}

/** What a request holds in its process, and gives to its task. */
export interface BookedHold {
  readonly leaseId: string
  readonly budgets: readonly string[]
  readonly budgetLeases: readonly string[]
}

/** The answer that a repeat with the same Idempotency-Key gets. */
export interface BookedAnswer {
  key: string
  status: number
  headers: Record<string, string>
  body: Uint8Array
}

/** `lost_hold`: its process was taken for dead and the money went elsewhere. `lost_claim`: so did its Idempotency-Key. */
export type Booked = 'booked' | 'lost_hold' | 'lost_claim'

/** A task as it stands. */
export interface Task extends Omit<NewTask, 'ask'> {
  state: TaskState
  /** How long the video is. */
  seconds: number
  /** Null once it is finished. */
  ask: VideoAsk | null
  /** Purses of key limits that it holds something of, in order. */
  budgets: string[]
  /** Numbers the turns of those who work on it: who lost their turn can write nothing any more. */
  turn: number
  /** It has a place among the polls of all processes, and the place is now. */
  inPlace: boolean
  /** How often a vendor was asked to begin. */
  submits: number
  /** The deployment that was asked to begin and has not been heard since. */
  submitting: string | null
  deploymentId: string | null
  /** What its vendor calls it; null before it has begun. */
  operation: TaskJson
  /** It ended before its vendor did: the vendor has to be told. */
  stopVendor: boolean
  /** For how long its vendor could not be asked, in milliseconds, and how often that was tried; 0 while all is well. */
  failingMs: number
  failures: number
  /** How long ago it was booked, in milliseconds. */
  ageMs: number
  trace: Attempt[]
  /** The signed address of its result, good for as long as the task is. */
  url: string | null
  error: string | null
  submittedAt: Date | null
  finishedAt: Date | null
  /** What it was charged, in nano-dollars; null while it is unfinished. */
  chargedNano: bigint | null
}

/** Over, one way or the other: a task that was cancelled or given up has failed. */
export const isFinished = ({ state }: Pick<Task, 'state'>): boolean => state === 'completed' || state === 'failed'

/** How a task's end is written down. */
export interface TaskEnd {
  state: 'completed' | 'failed'
  /** How long the video became. */
  seconds: number
  url: string | null
  /** For its owner to read. */
  error: string | null
  /** The vendor, where one has begun, is still at work, and has to be told. */
  stopVendor: boolean
}

/** When a task is looked at next, and what is remembered until then. */
export interface TaskNext {
  inMs: number
  /** That time is its place among the polls of all processes. */
  place: boolean
  /** Whether its vendor cannot be asked just now; null leaves that as it was. */
  failing: boolean | null
  trace: readonly Attempt[]
}

/** The lease through which a task holds some of a purse. */
export const taskLease = (taskId: string, purseId: string): string => `${taskId}/${purseId}`
