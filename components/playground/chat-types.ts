import type { CitedPage } from '../history/cited-pages.ts'
import type { Json, JsonRecord } from '../history/json.ts'
import type { Failure } from './call-api.ts'
import type { Figures } from './figures.ts'

/** An image in a prompt. */
export interface PromptImage {
  id: string
  name: string
  /** A data URL or an http(s) address. */
  url: string
}

export interface Prompt {
  text: string
  pictures: PromptImage[]
}

/** A tool call by the model. */
export interface ToolCall {
  id: string
  /** The index of the call in its stream. Vendors may not start at 0. */
  index?: number
  name: string
  /** JSON, possibly incomplete while it arrives. */
  arguments: string
  /** The result that the reader entered. Null while there is none. */
  result: string | null
  /** Data that the vendor signed. It has to be sent back unchanged. */
  extra: Json | null
}

export interface Answer {
  id: string
  model: string
  state: 'running' | 'done' | 'stopped' | 'failed'
  text: string
  reasoning: string
  /** Signed reasoning of the vendor. It has to be sent back unchanged. */
  thoughts: Json[]
  calls: ToolCall[]
  /** The images that the model made, as data URLs. Absent if there are none. */
  images?: string[]
  /** The web pages that it cites. Absent if there are none. */
  pages?: CitedPage[]
  finish: string | null
  figures: Figures
  failure: Failure | null
  /** The request body that was sent. */
  body: JsonRecord | null
}

/**
 * A prompt and its answers. `lanes` has one list for each called model: its answer, then the answer to its tools' results, and
 * so on.
 */
export interface Exchange {
  id: string
  prompt: Prompt
  lanes: Answer[][]
}
