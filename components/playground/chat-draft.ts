import { NO_PARAMS, type Params } from './chat-params.ts'
import type { Exchange, Prompt } from './chat-types.ts'

/** A chat as it is kept, as long as the browser window. */
export interface ChatDraft {
  system: string
  prompt: Prompt
  params: Params
  exchanges: Exchange[]
  /** Media of a replayed request from the history that were not kept. */
  missing: string[]
}

export const NO_PROMPT: Prompt = { text: '', pictures: [] }
export const NO_CHAT: ChatDraft = { system: '', prompt: NO_PROMPT, params: NO_PARAMS, exchanges: [], missing: [] }
