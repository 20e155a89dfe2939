import { writeSrt, writeVtt } from '../../domain/subtitles.ts'
import type { FinishPorts, WholeAnswer } from '../answer.ts'
import type { JsonObject } from '../json.ts'
import { cuesOf, readTranscript, toldSeconds } from './read.ts'
import type { TranscriptionFormat } from './schema.ts'
import { readTranscriptionUsage, writeTranscriptionUsage } from './usage.ts'
import type { TranscriptionWork } from './work.ts'

type Answer = JsonObject & { text: string }

/**
 * The formats that are not JSON. They are written here, so that the client gets the one it asked for, whatever the vendor can
 * write.
 */
const WRITTEN: { readonly [format in TranscriptionFormat]?: { type: string; write(answer: Answer, seconds: number): string } } = {
  text: { type: 'text/plain; charset=utf-8', write: ({ text }) => `${text}\n` },
  srt: { type: 'text/plain; charset=utf-8', write: (answer, seconds) => writeSrt(cuesOf(answer, seconds)) },
  vtt: { type: 'text/vtt; charset=utf-8', write: (answer, seconds) => writeVtt(cuesOf(answer, seconds)) },
}

/** Reads a whole transcription. Throws StreamBroken if it is not one. */
export function readWholeTranscription(bytes: Buffer, work: TranscriptionWork): WholeAnswer {
  const answer = readTranscript(bytes)
  const written = WRITTEN[work.format]
  return {
    ...(written ? { type: written.type } : {}),
    usage: work.known ?? readTranscriptionUsage(answer.usage, work.most),
    finishReason: null,
    text: () => answer.text,
    finish: async (ports) => compareSeconds(answer, work, ports),
    encode: (usage, costNano) =>
      Buffer.from(
        written
          ? written.write(answer, work.seconds)
          : JSON.stringify({ ...answer, usage: writeTranscriptionUsage(usage, costNano) }),
      ),
    folded: () => foldTranscript(answer, work),
  }
}

/** What history stores: the text with its times, and the length of the sound. */
export const foldTranscript = ({ usage: _, ...answer }: JsonObject, { seconds }: TranscriptionWork): JsonObject => ({
  ...answer,
  duration: seconds,
})

/** Allows for rounding, and for frames at both ends of a file. */
const TOLERANCE = 1.02
const TOLERANCE_SECONDS = 1

/** A vendor that hears more than was measured bills more than is charged, so somebody should look at such files. */
function compareSeconds(answer: JsonObject, { seconds, known }: TranscriptionWork, { warn }: FinishPorts): void {
  const told = toldSeconds(answer)
  if (known !== null && told !== null && told > Math.ceil(seconds) * TOLERANCE + TOLERANCE_SECONDS)
    warn({ seconds, told }, 'a vendor heard a longer sound than was measured, and bills it to the operator')
}
