/** A text and when it is spoken, in seconds from the beginning. */
export interface Cue {
  start: number
  end: number
  text: string
}

/** No audio is longer. A later time from a vendor is limited to this. */
const LATEST_MS = 1000 * 3_600_000 - 1

/** Formats `hours:minutes:seconds`, then the mark and milliseconds. An invalid time becomes the beginning. */
function formatTimestamp(seconds: number, mark: ',' | '.'): string {
  const ms = Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.round(seconds * 1000), LATEST_MS) : 0
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}${mark}${String(ms % 1000).padStart(3, '0')}`
}

/** An empty line would end a cue, and an arrow would begin one. */
const cleanText = (text: string): string =>
  text
    .replace(/\s*[\r\n\u2028\u2029]\s*/g, '\n')
    .replaceAll('-->', '->')
    .trim()

const timingLine = ({ start, end }: Cue, mark: ',' | '.'): string =>
  `${formatTimestamp(start, mark)} --> ${formatTimestamp(Math.max(start, end), mark)}`

const cleanCues = (cues: readonly Cue[]): Cue[] =>
  cues.map((cue) => ({ ...cue, text: cleanText(cue.text) })).filter(({ text }) => text !== '')

/** Formats SubRip: numbered cues, each ended by an empty line. */
export const writeSrt = (cues: readonly Cue[]): string =>
  cleanCues(cues)
    .map((cue, index) => `${index + 1}\n${timingLine(cue, ',')}\n${cue.text}\n\n`)
    .join('')

const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Formats WebVTT (W3C): cues of plain text. */
export const writeVtt = (cues: readonly Cue[]): string =>
  `WEBVTT\n\n${cleanCues(cues)
    .map((cue) => `${timingLine(cue, '.')}\n${escapeText(cue.text)}\n\n`)
    .join('')}`
