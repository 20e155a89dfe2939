import type pg from 'pg'
import { addModel } from '../support/fixtures.ts'

/** Audio models: speech billed by the character and by tokens, transcription billed by the second and by tokens. */
export interface AudioModels {
  speaks: string
  says: string
  hears: string
  streams: string
  aimockSpeaks: string
  aimockHears: string
}

export const audioModelsOf = (host: string): AudioModels => ({
  speaks: `fake/speaks-${host}`,
  says: `fake/says-${host}`,
  hears: `fake/hears-${host}`,
  streams: `fake/streams-${host}`,
  aimockSpeaks: `aimock/speaks-${host}`,
  aimockHears: `aimock/hears-${host}`,
})

const TOKENS = { input: '2500000000', audio_input: '6000000000', output: '10000000000' }

/** Adds them to the catalog. */
export async function addAudioModels(pool: pg.Pool, models: AudioModels, fakeUrl: string, aimockUrl: string): Promise<void> {
  const speech = {
    modality: 'speech',
    units: { character: '15000000000' },
    facts: { voices: ['alloy', 'nova'], characters: 4096 },
  }
  const hearing = { modality: 'transcription', capabilities: ['streaming'], units: TOKENS }
  const fake = { baseUrl: fakeUrl, upstreamModel: 'upstream-model' }
  const tokens = { input: '600000000', audio_output: '12000000000' }
  await addModel(pool, { id: models.speaks, ...fake, ...speech })
  await addModel(pool, { id: models.says, ...fake, modality: 'speech', units: tokens, capabilities: ['speech-events'] })
  await addModel(pool, { id: models.hears, ...fake, modality: 'transcription', units: { audio_second: '100000000000' } })
  await addModel(pool, { id: models.streams, ...fake, ...hearing, facts: { formats: ['json'] } })
  await addModel(pool, { id: models.aimockSpeaks, baseUrl: aimockUrl, upstreamModel: 'tts-1', ...speech })
  await addModel(pool, { id: models.aimockHears, baseUrl: aimockUrl, upstreamModel: 'gpt-4o-transcribe', ...hearing })
}
