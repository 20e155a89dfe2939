'use client'
import { Captions, Mic, Square } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { asRecord, type Json } from '../history/json.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { withUsage } from './figures.ts'
import { FileField } from './file-field.tsx'
import { NO_TRANSCRIPT, type TranscribeDraft } from './media-drafts.ts'
import { MissingMediaNote } from './missing-media-note.tsx'
import { ModelSelect } from './model-select.tsx'
import { ResultCard } from './result-card.tsx'
import { RunButton } from './run-button.tsx'
import type { ModelSelection } from './select-model.ts'
import { readTranscript, type Transcript, TranscriptView } from './transcript-view.tsx'
import { useDraft } from './use-draft.ts'
import { useMediaCall } from './use-media-call.ts'
import { useMicrophone } from './use-microphone.ts'
import { useSendKeys } from './use-send-keys.ts'
import { Workbench } from './workbench.tsx'

const AUDIO_TYPES = 'audio/*,video/mp4,video/webm,.mp3,.m4a,.wav,.flac,.ogg,.opus,.webm,.mp4'

/** Makes the call and keeps its result. */
function useTranscription({ group, model }: ModelSelection, draft: TranscribeDraft, file: File | null) {
  const { send, running, ...call } = useMediaCall<Transcript | null>(group.id)
  const transcribe = () => {
    if (running || file === null) return
    const body = {
      model: model.id,
      // Subtitles are made from its segments.
      response_format: model.facts.formats.includes('verbose_json') ? 'verbose_json' : 'json',
      ...(draft.language.trim() === '' ? {} : { language: draft.language.trim() }),
      ...(draft.prompt.trim() === '' ? {} : { prompt: draft.prompt }),
    }
    const files = [['file', file] as const]
    send({ path: '/audio/transcriptions', body, files }, null, async ({ response, show, updateFigures }) => {
      const answer = asRecord((await response.json()) as Json)
      show(readTranscript(answer))
      updateFigures((before) => withUsage(before, answer?.usage))
    })
  }
  return { ...call, running, transcribe }
}

interface SettingsProps {
  choice: ModelSelection
  draft: TranscribeDraft
  change: (changes: Partial<TranscribeDraft>) => void
}

function Settings({ choice, draft, change }: SettingsProps) {
  const t = useTranslations('playground.transcribe')
  return (
    <>
      <ModelSelect choice={choice} />
      <Field label={t('language')} hint={t('languageHint')}>
        {(control) => (
          <Input
            {...control}
            maxLength={35}
            value={draft.language}
            placeholder="en"
            onChange={(event) => change({ language: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('hint')} hint={t('hintHint')}>
        {(control) => <Input {...control} value={draft.prompt} onChange={(event) => change({ prompt: event.target.value })} />}
      </Field>
    </>
  )
}

function RecordButton({ microphone }: { microphone: ReturnType<typeof useMicrophone> }) {
  const t = useTranslations('playground.transcribe')
  return (
    <>
      <Button onClick={() => (microphone.recording ? microphone.stop() : void microphone.start())}>
        {microphone.recording ? <Square aria-hidden className="size-3.5 text-bad" /> : <Mic aria-hidden className="size-3.5" />}
        {microphone.recording ? t('stopRecording') : t('record')}
      </Button>
      <span aria-live="polite" className="text-second text-sm">
        {microphone.recording ? t('recording') : ''}
      </span>
    </>
  )
}

/** Transcription mode. */
export function TranscribeMode({ choice }: { choice: ModelSelection }) {
  const t = useTranslations('playground.transcribe')
  const [draft, change] = useDraft<TranscribeDraft>('transcribe', NO_TRANSCRIPT)
  const [file, setFile] = useState<File | null>(null)
  const { run, sent, transcribe, stop, running } = useTranscription(choice, draft, file)
  const microphone = useMicrophone(setFile)
  useSendKeys({ onSend: transcribe, onStop: running ? stop : null })
  return (
    <Workbench summary={choice.model.id} settings={<Settings choice={choice} draft={draft} change={change} />}>
      <MissingMediaNote notes={draft.missing} onDismiss={() => change({ missing: [] })} />
      <Card className="flex flex-col gap-3">
        <FileField
          label={t('file')}
          hint={t('fileHint')}
          accept={AUDIO_TYPES}
          files={file === null ? [] : [file]}
          onFiles={([next]) => setFile(next ?? null)}
        />
        {microphone.fault !== null && (
          <p role="alert" className="rounded-md bg-bad-tint px-3 py-2.5">
            {t(`microphone.${microphone.fault}`)}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <RecordButton microphone={microphone} />
          <RunButton
            label={t('transcribe')}
            running={running}
            disabled={file === null || microphone.recording}
            onRun={transcribe}
            onStop={stop}
          />
        </div>
      </Card>
      {run === null ? (
        <EmptyState icon={<Captions />} title={t('emptyTitle')} text={t('emptyText')} />
      ) : (
        <ResultCard run={run} call={sent} empty={run.result === null} onRetry={transcribe}>
          {run.result !== null && <TranscriptView transcript={run.result} />}
        </ResultCard>
      )}
    </Workbench>
  )
}
