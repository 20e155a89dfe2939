import type { LLMock } from '@copilotkit/aimock'

/** The usage that aimock reports. Its own counts are made up unless a fixture sets them. */
export const AIMOCK_USAGE = { prompt_tokens: 1200, completion_tokens: 300, total_tokens: 1500 }

/** What that costs at the rates of tests/support/fixtures.ts: $2.50 and $10 per million tokens. */
export const AIMOCK_COST_NANO = 6_000_000n

/** The sound with which aimock speaks the test sentence, followed by what it hears in any sound. */
export const AIMOCK_SOUND = Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 7) % 256))
export const AIMOCK_TRANSCRIPT = 'An independent stand-in heard this.'
export const AIMOCK_TRANSCRIPT_USAGE = {
  type: 'tokens',
  input_tokens: 30,
  input_token_details: { text_tokens: 6, audio_tokens: 24 },
  output_tokens: 4,
  total_tokens: 34,
}

/** Teaches aimock the answers that the suite requests. */
export function addFixtures(aimock: LLMock): void {
  aimock.onMessage('say the sentence', { content: 'An independent stand-in says this sentence.', usage: AIMOCK_USAGE })
  aimock.onMessage('be at your limit', {
    error: { message: 'Slow down, please.', type: 'requests', code: 'rate_limit_exceeded' },
    status: 429,
    retryAfter: 3,
  })
  aimock.onMessage('refuse the request', {
    error: { message: 'The temperature does not suit this model.', type: 'invalid_request_error', param: 'temperature' },
    status: 400,
  })
  aimock.on(
    { userMessage: 'weather in Oslo', hasToolResult: false },
    { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Oslo"}', id: 'call_oslo' }], usage: AIMOCK_USAGE },
  )
  aimock.on({ userMessage: 'weather in Oslo', hasToolResult: true }, { content: 'It is cold in Oslo.', usage: AIMOCK_USAGE })
  aimock.onSpeech('say the sentence', { audio: AIMOCK_SOUND.toString('base64'), format: 'mp3' })
  aimock.onTranscription({ transcription: { text: AIMOCK_TRANSCRIPT, usage: AIMOCK_TRANSCRIPT_USAGE } })
  aimock.onJsonOutput('describe Oslo', { city: 'Oslo', people: 700_000 }, {})
}
