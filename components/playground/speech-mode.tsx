'use client'
import { AudioLines, Download } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { useFormat } from '../use-format.ts'
import { NO_SPEECH, type SpeechDraft } from './media-drafts.ts'
import { ModelSelect } from './model-select.tsx'
import { ResultCard } from './result-card.tsx'
import { RunButton } from './run-button.tsx'
import type { ModelSelection } from './select-model.ts'
import { TextField } from './text-field.tsx'
import { useDraft } from './use-draft.ts'
import { useMediaCall } from './use-media-call.ts'
import { useSendKeys } from './use-send-keys.ts'
import { Workbench } from './workbench.tsx'

/** Used if a model's entry names none: the formats of the API, and a voice that most models know. */
const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']
const DEFAULT_VOICE = 'alloy'
const TYPES: Record<string, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
}

interface SpeechAudio {
  blob: Blob
  format: string
}

/** Reads the audio as it arrives. `markFirst` is called at the first bytes. */
async function readAudio(response: Response, format: string, onFirstBytes: () => void): Promise<SpeechAudio> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const reader = response.body?.getReader()
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    onFirstBytes()
    chunks.push(piece.value)
  }
  return { blob: new Blob(chunks, { type: TYPES[format] ?? 'application/octet-stream' }), format }
}

function Player({ sound }: { sound: SpeechAudio }) {
  const t = useTranslations('playground.speech')
  const format = useFormat()
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const objectUrl = URL.createObjectURL(sound.blob)
    setUrl(objectUrl)
    return () => URL.revokeObjectURL(objectUrl)
  }, [sound])
  if (url === null) return null
  return (
    <div className="flex flex-col gap-2">
      {sound.format === 'pcm' ? (
        <p className="text-second">{t('noPlayer')}</p>
      ) : (
        // biome-ignore lint/a11y/useMediaCaption: it speaks exactly the text that is shown above it
        <audio controls src={url} aria-label={t('sound')} data-testid="sound" className="w-full" />
      )}
      <Button asChild size="small" className="self-start">
        <a href={url} download={`speech.${sound.format}`}>
          <Download aria-hidden className="size-3.5" />
          {t('download', { size: `${format.count(Math.max(1, Math.round(sound.blob.size / 1024)))} KB` })}
        </a>
      </Button>
    </div>
  )
}

/** The speech settings. A choice that the model does not offer is replaced by its default. */
function settingsOf({ model }: ModelSelection, draft: SpeechDraft) {
  const { voices } = model.facts
  const formats = model.facts.formats.length > 0 ? model.facts.formats : FORMATS
  const speed = Number(draft.speed)
  return {
    voices,
    formats,
    voice: voices.length === 0 ? draft.voice || DEFAULT_VOICE : voices.includes(draft.voice) ? draft.voice : (voices[0] ?? ''),
    format: formats.includes(draft.format) ? draft.format : (formats[0] ?? 'mp3'),
    speed,
    isSpeedInvalid: draft.speed !== '' && !(speed >= 0.25 && speed <= 4),
  }
}

interface SettingsProps {
  choice: ModelSelection
  draft: SpeechDraft
  change: (changes: Partial<SpeechDraft>) => void
}

function Settings({ choice, draft, change }: SettingsProps) {
  const t = useTranslations('playground.speech')
  const { voices, voice, formats, format, isSpeedInvalid } = settingsOf(choice, draft)
  return (
    <>
      <ModelSelect choice={choice} />
      {voices.length > 0 ? (
        <NativeSelect
          label={t('voice')}
          value={voice}
          onChange={(next) => change({ voice: next })}
          options={voices.map((value) => ({ value, label: value }))}
        />
      ) : (
        <Field label={t('voice')}>
          {(control) => (
            <Input
              {...control}
              value={draft.voice}
              placeholder={DEFAULT_VOICE}
              onChange={(event) => change({ voice: event.target.value })}
            />
          )}
        </Field>
      )}
      <NativeSelect
        label={t('format')}
        value={format}
        onChange={(next) => change({ format: next })}
        options={formats.map((value) => ({ value, label: value }))}
      />
      <Field label={t('speed')} error={isSpeedInvalid ? t('speedWrong') : undefined}>
        {(control) => (
          <Input
            {...control}
            inputMode="decimal"
            placeholder="0.25 – 4"
            value={draft.speed}
            onChange={(event) => change({ speed: event.target.value })}
          />
        )}
      </Field>
      <TextField
        label={t('instructions')}
        placeholder={t('instructionsPlaceholder')}
        value={draft.instructions}
        onChange={(instructions) => change({ instructions })}
        rows={2}
      />
    </>
  )
}

/** Speech mode. */
export function SpeechMode({ choice }: { choice: ModelSelection }) {
  const t = useTranslations('playground.speech')
  const { group, model } = choice
  const [draft, change] = useDraft<SpeechDraft>('speech', NO_SPEECH)
  const { run, sent, send, stop, running } = useMediaCall<SpeechAudio | null>(group.id)
  const { voice, format, speed, isSpeedInvalid } = settingsOf(choice, draft)
  const blocked = draft.text.trim() === '' || isSpeedInvalid
  const speak = () => {
    if (running || blocked) return
    const body = {
      model: model.id,
      input: draft.text,
      voice,
      response_format: format,
      ...(draft.speed === '' ? {} : { speed }),
      ...(draft.instructions.trim() === '' ? {} : { instructions: draft.instructions }),
    }
    send({ path: '/audio/speech', body }, null, async ({ response, markFirst, show }) =>
      show(await readAudio(response, format, markFirst)),
    )
  }
  useSendKeys({ onSend: speak, onStop: running ? stop : null })
  return (
    <Workbench summary={model.id} settings={<Settings choice={choice} draft={draft} change={change} />}>
      <Card className="flex flex-col gap-3">
        <TextField
          label={t('text')}
          placeholder={t('textPlaceholder')}
          value={draft.text}
          onChange={(text) => change({ text })}
          rows={4}
        />
        <RunButton label={t('speak')} running={running} disabled={blocked} onRun={speak} onStop={stop} />
      </Card>
      {run === null ? (
        <EmptyState icon={<AudioLines />} title={t('emptyTitle')} text={t('emptyText')} />
      ) : (
        <ResultCard run={run} call={sent} empty={run.result === null} onRetry={speak}>
          {run.result !== null && <Player sound={run.result} />}
        </ResultCard>
      )}
    </Workbench>
  )
}
