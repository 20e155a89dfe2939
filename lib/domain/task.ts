import type { ModelPrice } from './price.ts'
import type { Attempt } from './settlement.ts'

/** States of a task, which only move forward. See section 3 of the specification. */
export type TaskState = 'pending' | 'processing' | 'completed' | 'failed'

/** What a vendor is asked for. */
export interface VideoAsk {
  prompt: string
  seconds: number
}

/** Portrait or landscape, in the notation of the provider packages. */
export type VideoAspect = '9:16' | '16:9'

const LANDSCAPE = '-landscape'

/**
 * The orientation of a model's videos. Of a pair of models, the one with this suffix makes landscape videos. See section 4.9 of
 * the specification.
 */
export function aspectOf(modelId: string, offered: { has(id: string): boolean }): VideoAspect | null {
  if (modelId.endsWith(LANDSCAPE)) return '16:9'
  return offered.has(modelId + LANDSCAPE) ? '9:16' : null
}

/** What determines a task's charge, as it was at admission. */
export interface TaskPin {
  price: ModelPrice
  groupName: string
  multiplierBp: bigint
}

/** Any JSON value. */
export type TaskJson = null | boolean | number | string | TaskJson[] | { [key: string]: TaskJson | undefined }

/** Work that outlives the request that started it, as it is booked. */
export interface NewTask {
  id: string
  /** The request that started it. Its usage record has this id. */
  requestId: string
  accountId: string
  keyId: string
  groupId: string
  modelId: string
  /** As it appears in usage records. */
  endpoint: string
  ask: VideoAsk
  /** The request as the history stores it, or null if no history is kept. */
  asked: TaskJson
  pin: TaskPin
  holdNano: bigint
  keepHistory: boolean
  /** Milliseconds that the gateway itself spent on the request. */
  ownMs: number
  createdAt: Date
  expiresAt: Date
}

/** What a request holds in its process and hands over to its task. */
export interface BookedHold {
  readonly leaseId: string
  readonly budgets: readonly string[]
  readonly budgetLeases: readonly string[]
}

/** The answer for a repeat with the same Idempotency-Key. */
export interface BookedAnswer {
  key: string
  status: number
  headers: Record<string, string>
  body: Uint8Array
}

/** `lost_hold`: the process was presumed dead, and its money went elsewhere. `lost_claim`: the same for its Idempotency-Key. */
export type BookingResult = 'booked' | 'lost_hold' | 'lost_claim'

/** The current state of a task. */
export interface Task extends Omit<NewTask, 'ask'> {
  state: TaskState
  /** The length of the video. */
  seconds: number
  /** Null once it is finished. */
  ask: VideoAsk | null
  /** Purses of key limits in which it holds money, in order. */
  budgets: string[]
  /** Numbers the turns of the workers on it. A worker that has lost its turn can no longer write anything. */
  turn: number
  /** It has a place among the polls of all processes, and that time has come. */
  inPlace: boolean
  /** How often a vendor was asked to begin. */
  submits: number
  /** The deployment that was asked to begin and has not been heard from since. */
  submitting: string | null
  deploymentId: string | null
  /** The vendor's id of it, or null before it has begun. */
  operation: TaskJson
  /** It ended before its vendor finished, so the vendor has to be told. */
  stopVendor: boolean
  /** For how many milliseconds its vendor could not be asked, and how often that was tried. 0 while all is well. */
  failingMs: number
  failures: number
  /** How long ago it was booked, in milliseconds. */
  ageMs: number
  trace: Attempt[]
  /** The signed address of its result, valid as long as the task is kept. */
  url: string | null
  error: string | null
  submittedAt: Date | null
  finishedAt: Date | null
  /** What it was charged, in nano-dollars, or null while it is unfinished. */
  chargedNano: bigint | null
}

/** Whether it is over, in either way. A task that was cancelled or given up has failed. */
export const isFinished = ({ state }: Pick<Task, 'state'>): boolean => state === 'completed' || state === 'failed'

/** How the end of a task is recorded. */
export interface TaskEnd {
  state: 'completed' | 'failed'
  /** The final length of the video. */
  seconds: number
  url: string | null
  /** For its owner to read. */
  error: string | null
  /** The vendor, if one has begun, is still at work and has to be told. */
  stopVendor: boolean
}

/** When a task is looked at next, and what to remember until then. */
export interface TaskNext {
  inMs: number
  /** Whether that time is its place among the polls of all processes. */
  place: boolean
  /** Whether its vendor cannot be asked at the moment; null leaves the previous value. */
  failing: boolean | null
  trace: readonly Attempt[]
}

/** The lease through which a task holds money of a purse. */
export const taskLeaseId = (taskId: string, purseId: string): string => `${taskId}/${purseId}`
