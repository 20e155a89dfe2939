import { assemblyai } from './media/assemblyai.ts'
import { blackForestLabs } from './media/black-forest-labs.ts'
import { deepgram } from './media/deepgram.ts'
import { elevenlabs } from './media/elevenlabs.ts'
import { fal } from './media/fal.ts'
import { luma } from './media/luma.ts'
import { replicate } from './media/replicate.ts'
import type { MediaRow } from './media-row.ts'

/** A row for every kind without chats. tests/structure/vendor-kinds.test.ts fails if one is missing. */
export const MEDIA_ROWS: Readonly<Record<string, MediaRow>> = {
  fal,
  replicate,
  luma,
  'black-forest-labs': blackForestLabs,
  elevenlabs,
  deepgram,
  assemblyai,
}
