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
import type { Choice } from './choose.ts'
import { ChooseModel } from './choose-model.tsx'
import type { SentCall } from './code-views.ts'
import { useDraft } from './draft.ts'
import { NO_SPEECH, type SpeechDraft } from './media-drafts.ts'
import { ResultCard } from './result-card.tsx'
import { RunButton } from './run-button.tsx'
import { TextField } from './text-field.tsx'
import { useRun } from './use-run.ts'
import { useSendKeys } from './use-send-keys.ts'
import { Workbench } from './workbench.tsx'

/** Used if a model's entry names none: the formats of the API, and a voice that most models know. */
const FORMATS = ['mp3', 'opus', 'aac', 'flac', 'wav', 'pcm']
const USUAL_VOICE = 'alloy'
const TYPES: Record<string, string> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
}

interface Sound {
  blob: Blob
  format: string
}

/** Reads the audio as it arrives. `first` is called at the first bytes. */
async function readSound(response: Response, format: string, first: () => void): Promise<Sound> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  const reader = response.body?.getReader()
  for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
    first()
    chunks.push(piece.value)
  }
  return { blob: new Blob(chunks, { type: TYPES[format] ?? 'application/octet-stream' }), format }
}

function Player({ sound }: { sound: Sound }) {
  const t = useTranslations('playground.speech')
  const format = useFormat()
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    const made = URL.createObjectURL(sound.blob)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
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
function settingsOf({ model }: Choice, draft: SpeechDraft) {
  const { voices } = model.facts
  const formats = model.facts.formats.length > 0 ? model.facts.formats : FORMATS
  const speed = Number(draft.speed)
  return {
    voices,
    formats,
    voice: voices.length === 0 ? draft.voice || USUAL_VOICE : voices.includes(draft.voice) ? draft.voice : (voices[0] ?? ''),
    format: formats.includes(draft.format) ? draft.format : (formats[0] ?? 'mp3'),
    speed,
    wrongSpeed: draft.speed !== '' && !(speed >= 0.25 && speed <= 4),
  }
}

interface SettingsProps {
  choice: Choice
  draft: SpeechDraft
  change: (changes: Partial<SpeechDraft>) => void
}

function Settings({ choice, draft, change }: SettingsProps) {
  const t = useTranslations('playground.speech')
  const { voices, voice, formats, format, wrongSpeed } = settingsOf(choice, draft)
  return (
    <>
      <ChooseModel choice={choice} />
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
              placeholder={USUAL_VOICE}
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
      <Field label={t('speed')} error={wrongSpeed ? t('speedWrong') : undefined}>
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
export function SpeechMode({ choice }: { choice: Choice }) {
  const t = useTranslations('playground.speech')
  const { group, model } = choice
  const [draft, change] = useDraft<SpeechDraft>('speech', NO_SPEECH)
  const [sent, setSent] = useState<SentCall | null>(null)
  const { run, start, stop, running } = useRun<Sound | null>()
  const { voice, format, speed, wrongSpeed } = settingsOf(choice, draft)
  const blocked = draft.text.trim() === '' || wrongSpeed
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
    setSent({ path: '/audio/speech', body })
    void start({ path: '/audio/speech', groupId: group.id, body }, null, async ({ response, first, show }) =>
      show(await readSound(response, format, first)),
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
        <ResultCard run={run} call={sent} empty={run.made === null} onRetry={speak}>
          {run.made !== null && <Player sound={run.made} />}
        </ResultCard>
      )}
    </Workbench>
  )
}
