'use client'
import { Download, ImageIcon } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { enumerate } from '../enumerate.ts'
import { asRecord, type Json, type JsonRecord } from '../history/json.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { withUsage } from './figures.ts'
import { FileField } from './file-field.tsx'
import { type ImagesDraft, NO_IMAGES } from './media-drafts.ts'
import { MissingMediaNote } from './missing-media-note.tsx'
import { ModelSelect } from './model-select.tsx'
import { IMAGE_TYPES } from './prompt-images.ts'
import { type GeneratedImages, imageExtension, NO_GENERATED_IMAGES, readImages, withImageEvent } from './read-images.ts'
import { ResultCard } from './result-card.tsx'
import { RunButton } from './run-button.tsx'
import type { ModelSelection } from './select-model.ts'
import { TextField } from './text-field.tsx'
import { useDraft } from './use-draft.ts'
import { useMediaCall } from './use-media-call.ts'
import { useSendKeys } from './use-send-keys.ts'
import { Workbench } from './workbench.tsx'

const MAX_IMAGES = 10
const PARTIAL_IMAGES = 2

/** The fields of a call. Empty ones are left to the model's default. */
function fieldsOf({ model }: ModelSelection, draft: ImagesDraft, count: number): JsonRecord {
  const { sizes, qualities } = model.facts
  const size = sizes.length === 0 || sizes.includes(draft.size) ? draft.size : ''
  const quality = qualities.length === 0 || qualities.includes(draft.quality) ? draft.quality : ''
  return {
    model: model.id,
    prompt: draft.prompt,
    n: count,
    ...(size === '' ? {} : { size }),
    ...(quality === '' ? {} : { quality }),
    response_format: 'b64_json',
    ...(model.capabilities.includes('streaming') ? { stream: true, partial_images: PARTIAL_IMAGES } : {}),
  }
}

/** The uploads by the names of their fields. */
const filesOf = ({ images, mask }: Uploads): [string, File][] => [
  ...images.map((image): [string, File] => [images.length > 1 ? 'image[]' : 'image', image]),
  ...(mask === null ? [] : [['mask', mask] as [string, File]]),
]

function Gallery({ made, prompt }: { made: GeneratedImages; prompt: string }) {
  const t = useTranslations('playground.images')
  return (
    <ul className="grid gap-3 sm:grid-cols-2">
      {enumerate(made.done).map(({ place, value: url }) => (
        <li key={place} className="flex flex-col gap-2">
          {/* biome-ignore lint/performance/noImgElement: a data URL, which cannot be optimized */}
          <img src={url} alt={prompt} data-testid="image" className="w-full rounded-md border" />
          <Button asChild size="small" className="self-start">
            <a href={url} download={`image-${place + 1}.${imageExtension(url)}`}>
              <Download aria-hidden className="size-3.5" />
              {t('download', { place: place + 1 })}
            </a>
          </Button>
        </li>
      ))}
      {made.partial !== null && (
        <li>
          {/* biome-ignore lint/performance/noImgElement: a data URL, which cannot be optimized */}
          <img src={made.partial} alt={t('partial')} className="w-full animate-wait rounded-md border opacity-80" />
        </li>
      )}
    </ul>
  )
}

interface FormProps {
  choice: ModelSelection
  draft: ImagesDraft
  change: (changes: Partial<ImagesDraft>) => void
}

const maxImagesOf = ({ model }: ModelSelection): number => model.facts.images ?? MAX_IMAGES

/** How many images to make. Null if the typed number is invalid. Always 1 if the model makes one at a time. */
function countOf(choice: ModelSelection, { count }: ImagesDraft): number | null {
  const maxImages = maxImagesOf(choice)
  if (maxImages <= 1) return 1
  return Number.isInteger(count) && count >= 1 && count <= maxImages ? count : null
}

function Settings({ choice, draft, change }: FormProps) {
  const t = useTranslations('playground.images')
  const tPlayground = useTranslations('playground')
  const { sizes, qualities } = choice.model.facts
  const maxImages = maxImagesOf(choice)
  const options = (list: string[]) => [
    { value: '', label: tPlayground('usual') },
    ...list.map((value) => ({ value, label: value.replace(/^(\d+)x(\d+)$/, '$1 × $2') })),
  ]
  return (
    <>
      <ModelSelect choice={choice} />
      {sizes.length > 0 && (
        <NativeSelect label={t('size')} value={draft.size} onChange={(size) => change({ size })} options={options(sizes)} />
      )}
      {qualities.length > 1 && (
        <NativeSelect
          label={t('quality')}
          value={draft.quality}
          onChange={(quality) => change({ quality })}
          options={options(qualities)}
        />
      )}
      {maxImages > 1 && (
        <Field
          label={t('count')}
          hint={t('countHint', { most: maxImages })}
          error={countOf(choice, draft) === null ? t('countFault', { most: maxImages }) : undefined}
        >
          {(control) => (
            <Input
              {...control}
              type="number"
              min={1}
              max={maxImages}
              value={draft.count === 0 ? '' : draft.count}
              onChange={(event) => change({ count: Number(event.target.value) })}
            />
          )}
        </Field>
      )}
    </>
  )
}

/** The images to edit, and the mask that says where. */
interface Uploads {
  images: File[]
  mask: File | null
}

function UploadFields({ uploads: { images, mask }, onChange }: { uploads: Uploads; onChange: (uploads: Uploads) => void }) {
  const t = useTranslations('playground.images')
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <FileField
        label={t('uploads')}
        hint={t('uploadsHint')}
        accept={IMAGE_TYPES}
        multiple
        files={images}
        onFiles={(files) => onChange({ images: files, mask: files.length > 0 ? mask : null })}
      />
      {images.length > 0 && (
        <FileField
          label={t('mask')}
          hint={t('maskHint')}
          accept="image/png"
          files={mask === null ? [] : [mask]}
          onFiles={([file]) => onChange({ images, mask: file ?? null })}
        />
      )}
    </div>
  )
}

/** Makes the call and keeps its result. */
function useImages(choice: ModelSelection, draft: ImagesDraft, uploads: Uploads) {
  const { send, running, ...call } = useMediaCall<GeneratedImages>(choice.group.id)
  const make = () => {
    const count = countOf(choice, draft)
    if (running || count === null || draft.prompt.trim() === '') return
    const body = fieldsOf(choice, draft, count)
    const files = filesOf(uploads)
    const path = files.length > 0 ? '/images/edits' : '/images/generations'
    send({ path, body, files }, NO_GENERATED_IMAGES, async ({ response, markFirst, show, updateFigures }) => {
      if (body.stream !== true) {
        const answer = (await response.json()) as Json
        show(readImages(answer))
        updateFigures((before) => withUsage(before, asRecord(answer)?.usage))
        return
      }
      const { readEvents } = await import('./read-events.ts')
      let generated = NO_GENERATED_IMAGES
      for await (const event of readEvents(response)) {
        markFirst()
        generated = withImageEvent(generated, event)
        show(generated)
        updateFigures((before) => withUsage(before, event.usage))
      }
    })
  }
  return { ...call, running, make }
}

/** Image mode: makes images, or edits existing ones. */
export function ImagesMode({ choice }: { choice: ModelSelection }) {
  const t = useTranslations('playground.images')
  const [draft, change] = useDraft<ImagesDraft>('images', NO_IMAGES)
  const [uploads, setUploads] = useState<Uploads>({ images: [], mask: null })
  const supportsEdits = choice.model.capabilities.includes('edits')
  const activeUploads = supportsEdits ? uploads : { images: [], mask: null }
  const { run, sent, make, stop, running } = useImages(choice, draft, activeUploads)
  useSendKeys({ onSend: make, onStop: running ? stop : null })
  return (
    <Workbench summary={choice.model.id} settings={<Settings choice={choice} draft={draft} change={change} />}>
      <MissingMediaNote notes={draft.missing} onDismiss={() => change({ missing: [] })} />
      <Card className="flex flex-col gap-3">
        <TextField
          label={t('prompt')}
          placeholder={t('promptPlaceholder')}
          value={draft.prompt}
          onChange={(prompt) => change({ prompt })}
          rows={3}
        />
        {supportsEdits && <UploadFields uploads={uploads} onChange={setUploads} />}
        <RunButton
          label={activeUploads.images.length > 0 ? t('edit') : t('make')}
          running={running}
          disabled={draft.prompt.trim() === ''}
          faulty={countOf(choice, draft) === null}
          onRun={make}
          onStop={stop}
        />
      </Card>
      {run === null ? (
        <EmptyState icon={<ImageIcon />} title={t('emptyTitle')} text={t('emptyText')} />
      ) : (
        <ResultCard run={run} call={sent} empty={run.result.done.length === 0 && run.result.partial === null} onRetry={make}>
          <Gallery made={run.result} prompt={String(sent?.body.prompt ?? '')} />
        </ResultCard>
      )}
    </Workbench>
  )
}
