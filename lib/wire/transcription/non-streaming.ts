import { writeSrt, writeVtt } from '../../domain/subtitles.ts'
import type { FinishPorts, NonStreamingAnswer } from '../answer.ts'
import type { JsonObject } from '../json.ts'
import type { PreparedTranscription } from './prepare.ts'
import { cuesOf, readTranscript, reportedSeconds, toVerbose } from './read-transcript.ts'
import type { TranscriptionFormat } from './schema.ts'
import { readTranscriptionUsage, writeTranscriptionUsage } from './usage.ts'

type Answer = JsonObject & { text: string }

/**
 * The formats that are not JSON. They are written here, so that the client gets the one it asked for, whatever the vendor can
 * write.
 */
const TEXT_FORMATS: {
  readonly [format in TranscriptionFormat]?: { type: string; write(answer: Answer, seconds: number): string }
} = {
  text: { type: 'text/plain; charset=utf-8', write: ({ text }) => `${text}\n` },
  srt: { type: 'text/plain; charset=utf-8', write: (answer, seconds) => writeSrt(cuesOf(answer, seconds)) },
  vtt: { type: 'text/vtt; charset=utf-8', write: (answer, seconds) => writeVtt(cuesOf(answer, seconds)) },
}

/**
 * Reads a whole transcription. Throws StreamBrokenError if it is not one. `language` is what its text is in if the vendor does not
 * say so.
 */
export function readNonStreamingTranscription(
  bytes: Buffer,
  work: PreparedTranscription,
  language = work.input.fields.language ?? 'unknown',
): NonStreamingAnswer {
  const answer = readTranscript(bytes)
  const textFormat = TEXT_FORMATS[work.format]
  return {
    ...(textFormat ? { type: textFormat.type } : {}),
    usage: work.known ?? readTranscriptionUsage(answer.usage, work.maxUsage),
    finishReason: null,
    text: () => answer.text,
    finish: async (ports) => compareSeconds(answer, work, ports),
    encode: (usage, costNano) =>
      Buffer.from(
        textFormat
          ? textFormat.write(answer, work.seconds)
          : JSON.stringify({
              ...(work.format === 'verbose_json' ? toVerbose(answer, language, work.seconds) : answer),
              usage: writeTranscriptionUsage(usage, costNano),
            }),
      ),
    toAnswerJson: () => toHistoryTranscript(answer, work),
  }
}

/** What history stores: the text with its times, and the length of the sound. */
export const toHistoryTranscript = ({ usage: _, ...answer }: JsonObject, { seconds }: PreparedTranscription): JsonObject => ({
  ...answer,
  duration: seconds,
})

/** Allows for rounding, and for frames at both ends of a file. */
const TOLERANCE_FACTOR = 1.02
const TOLERANCE_SECONDS = 1

/** A vendor that hears more than was measured bills more than is charged, so somebody should look at such files. */
function compareSeconds(answer: JsonObject, { seconds, known }: PreparedTranscription, { warn }: FinishPorts): void {
  const told = reportedSeconds(answer)
  if (known !== null && told !== null && told > Math.ceil(seconds) * TOLERANCE_FACTOR + TOLERANCE_SECONDS)
    warn({ seconds, told }, 'a vendor heard a longer sound than was measured, and bills it to the operator')
}
