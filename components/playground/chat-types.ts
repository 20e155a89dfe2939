import type { Json, JsonRecord } from '../history/json.ts'
import type { Failure } from './call.ts'
import type { Figures } from './figures.ts'

/** A picture that goes with a prompt. */
export interface Picture {
  id: string
  name: string
  /** A data URL or an http(s) address. */
  url: string
}

export interface Prompt {
  text: string
  pictures: Picture[]
}

/** A call that a model made of one of the tools it was given. */
export interface ToolCall {
  id: string
  /** Which call of its stream it is, as the wire counts them: from 0 on or from anywhere else. */
  index?: number
  name: string
  /** JSON, as far as it has come. */
  arguments: string
  /** What whoever plays the tool answered; null while it waits. */
  result: string | null
  /** What the vendor signed, to be sent back untouched. */
  extra: Json | null
}

export interface Answer {
  id: string
  model: string
  state: 'running' | 'done' | 'stopped' | 'failed'
  text: string
  reasoning: string
  /** What the vendor signed of its thoughts, to be sent back untouched. */
  thoughts: Json[]
  calls: ToolCall[]
  finish: string | null
  figures: Figures
  failure: Failure | null
  /** What was sent. */
  body: JsonRecord | null
}

/**
 * One prompt and what came of it. `lanes` has a list for each model that was asked: its answer, and after the results of
 * its tools the answer to those, and so on.
 */
export interface Exchange {
  id: string
  prompt: Prompt
  lanes: Answer[][]
}
