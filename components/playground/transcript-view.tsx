'use client'
import { Download } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type Cue, writeSrt, writeVtt } from '#lib/domain/subtitles'
import { enumerate } from '../enumerate.ts'
import { asRecord, asText, type JsonRecord } from '../history/json.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { cueTime } from './cue-time.ts'

export interface Transcript {
  text: string
  cues: Cue[]
}

/** Reads an answer in `json` or `verbose_json`. It has cues if the answer has segments. */
export function readTranscript(answer: JsonRecord | null): Transcript {
  const segments = Array.isArray(answer?.segments) ? answer.segments : []
  const cues = segments.flatMap((each) => {
    const segment = asRecord(each)
    const segmentText = asText(segment?.text)
    return typeof segment?.start === 'number' && typeof segment.end === 'number' && segmentText !== null
      ? [{ start: segment.start, end: segment.end, text: segmentText.trim() }]
      : []
  })
  return { text: asText(answer?.text) ?? '', cues }
}

const fileUrl = (content: string): string => `data:text/plain;charset=utf-8,${encodeURIComponent(content)}`

/** The transcript with its times, and as files. */
export function TranscriptView({ transcript }: { transcript: Transcript }) {
  const t = useTranslations('playground.transcribe')
  const downloads = [
    { end: 'txt', content: transcript.text },
    ...(transcript.cues.length === 0
      ? []
      : [
          { end: 'srt', content: writeSrt(transcript.cues) },
          { end: 'vtt', content: writeVtt(transcript.cues) },
        ]),
  ]
  return (
    <div className="flex flex-col gap-3">
      <p data-testid="transcript" className="whitespace-pre-wrap [overflow-wrap:anywhere]">
        {transcript.text}
      </p>
      {transcript.cues.length > 0 && (
        <details className="rounded-md border px-2.5 py-1.5">
          <summary className="text-second text-sm">{t('segments', { count: transcript.cues.length })}</summary>
          <ol className="mt-1.5 flex flex-col gap-1">
            {enumerate(transcript.cues).map(({ place, value: cue }) => (
              <li key={place} className="flex gap-3">
                <span className="mono shrink-0 text-second leading-5">
                  {cueTime(cue.start)} – {cueTime(cue.end)}
                </span>
                <span className="min-w-0">{cue.text}</span>
              </li>
            ))}
          </ol>
        </details>
      )}
      <div className="flex flex-wrap items-center gap-2">
        {downloads.map(({ end, content }) => (
          <Button key={end} asChild size="small">
            <a href={fileUrl(content)} download={`transcript.${end}`}>
              <Download aria-hidden className="size-3.5" />
              {end}
            </a>
          </Button>
        ))}
        <CopyButton text={transcript.text} label={t('transcript')} />
      </div>
    </div>
  )
}
