/** The drafts of the media modes, kept as long as the browser window. Uploads are not kept. */
export interface ImagesDraft {
  prompt: string
  /** Empty for the model's default. */
  size: string
  quality: string
  count: number
  /** Uploads of a replayed request from the history, which keeps only notes of them. */
  missing: string[]
}
export const NO_IMAGES: ImagesDraft = { prompt: '', size: '', quality: '', count: 1, missing: [] }

export interface SpeechDraft {
  text: string
  voice: string
  format: string
  speed: string
  instructions: string
}
export const NO_SPEECH: SpeechDraft = { text: '', voice: '', format: '', speed: '', instructions: '' }

export interface TranscribeDraft {
  language: string
  prompt: string
  /** The audio of a replayed request from the history, which keeps only a note of it. */
  missing: string[]
}
export const NO_TRANSCRIPT: TranscribeDraft = { language: '', prompt: '', missing: [] }

/** The request of a video task, and the id of its record in the history. */
export interface VideoRequest {
  body: { model: string; prompt: string; duration: number; async: true }
  requestId: string | null
}

export interface VideoDraft {
  prompt: string
  /** In seconds. 0 is the model's default length. */
  duration: number
  /** By task id. */
  asked: Record<string, VideoRequest>
}
export const NO_VIDEO: VideoDraft = { prompt: '', duration: 0, asked: {} }
