/** What is typed in the modes for media, as it is kept for the time of a window. Uploads are not kept. */
export interface ImagesDraft {
  prompt: string
  /** Empty is the model's usual one. */
  size: string
  quality: string
  count: number
  /** Uploads of a request out of the history, of which only notes are kept. */
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
  /** The sound of a request out of the history, of which only a note is kept. */
  missing: string[]
}
export const NO_TRANSCRIPT: TranscribeDraft = { language: '', prompt: '', missing: [] }

/** What a video task was asked with, and under which id its record stands in the history. */
export interface AskedVideo {
  body: { model: string; prompt: string; duration: number; async: true }
  requestId: string | null
}

export interface VideoDraft {
  prompt: string
  /** Seconds; 0 is the model's usual length. */
  duration: number
  /** By the id of the task. */
  asked: Record<string, AskedVideo>
}
export const NO_VIDEO: VideoDraft = { prompt: '', duration: 0, asked: {} }
