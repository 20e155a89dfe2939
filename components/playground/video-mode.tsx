'use client'
import { Clapperboard, Download } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { Segmented } from '../ui/segmented.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Tag, type Tone } from '../ui/tag.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useFormat } from '../use-format.ts'
import { asFailure, callApi, type Failure } from './call-api.ts'
import { FailureView } from './failure-view.tsx'
import { NO_FIGURES, withUsage } from './figures.ts'
import { FiguresLine } from './figures-line.tsx'
import { NO_VIDEO, type VideoDraft, type VideoRequest } from './media-drafts.ts'
import { ModelSelect } from './model-select.tsx'
import { RunButton } from './run-button.tsx'
import type { ModelSelection } from './select-model.ts'
import { TextField } from './text-field.tsx'
import { useDraft } from './use-draft.ts'
import { useSendKeys } from './use-send-keys.ts'
import { isFinished, readTask, useTask, type VideoTask } from './use-task.ts'
import { ViewCode } from './view-code.tsx'
import { Workbench } from './workbench.tsx'

const LANDSCAPE = '-landscape'
const DURATIONS = [5, 10, 15, 20]
const TONES: Record<VideoTask['status'], Tone> = { pending: 'plain', processing: 'good', completed: 'good', failed: 'bad' }

/** The other model of a pair: one makes portrait videos, the other landscape videos. Null if there is no other. */
function otherOrientationOf({ model, models }: ModelSelection): string | null {
  const name = model.id.endsWith(LANDSCAPE) ? model.id.slice(0, -LANDSCAPE.length) : `${model.id}${LANDSCAPE}`
  return models.some(({ id }) => id === name) ? name : null
}

/** Milliseconds since a time. Updated every second while something is running. */
function useElapsed(sinceMs: number, isRunning: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!isRunning) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isRunning])
  return Math.max(0, now - sinceMs)
}

interface TaskViewProps {
  task: VideoTask
  request: VideoRequest | undefined
  onCancel: () => void
}

function TaskView({ task, request, onCancel }: TaskViewProps) {
  const t = useTranslations('playground.video')
  const format = useFormat()
  const isDone = isFinished(task)
  const elapsed = useElapsed(task.created_at * 1000, !isDone)
  const tookMs = isDone ? Math.max(0, (task.finished_at ?? task.created_at) - task.created_at) * 1000 : null
  const figures = withUsage(
    { ...NO_FIGURES, requestId: isDone ? (request?.requestId ?? null) : null, totalMs: tookMs },
    task.usage,
  )
  return (
    <>
      <div className="flex flex-wrap items-center gap-2" role="status">
        <span className="mono truncate text-second">{task.model}</span>
        <Tag tone={TONES[task.status]} data-testid="status">
          {t(`status.${task.status}`)}
        </Tag>
        {!isDone && <span className="figures text-second text-sm">{t('elapsed', { time: format.duration(elapsed) })}</span>}
        {!isDone && (
          <Button size="small" onClick={onCancel} className="ml-auto">
            {t('cancel')}
          </Button>
        )}
      </div>
      {!isDone && <Skeleton className="aspect-video w-full rounded-md" />}
      {task.video_url !== undefined && (
        <>
          {/* biome-ignore lint/a11y/useMediaCaption: the page cannot know whether anything is spoken in it */}
          <video
            controls
            playsInline
            src={task.video_url}
            aria-label={request?.body.prompt ?? t('result')}
            data-testid="video"
            className="max-h-[70dvh] w-full rounded-md border bg-page"
          />
          <Button asChild size="small" className="self-start">
            <a href={task.video_url} download={`${task.id}.mp4`}>
              <Download aria-hidden className="size-3.5" />
              {t('download')}
            </a>
          </Button>
        </>
      )}
      {task.error !== undefined && <p className="rounded-md bg-bad-tint px-3 py-2.5">{task.error}</p>}
      <div className="border-line-soft border-t pt-2">
        <FiguresLine figures={figures}>
          {request !== undefined && <ViewCode call={{ path: '/videos/generations', body: request.body }} />}
        </FiguresLine>
      </div>
    </>
  )
}

/** Creates a task and opens it. Reports what went wrong. */
function useCreateTask(groupId: string, onCreated: (task: VideoTask, requestId: string | null) => void) {
  const [isCreating, setIsCreating] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const create = async (body: VideoRequest['body']) => {
    setIsCreating(true)
    setFailure(null)
    try {
      const response = await callApi({ path: '/videos/generations', groupId, body })
      onCreated(await readTask(response), response.headers.get('x-request-id'))
    } catch (error) {
      setFailure(asFailure(error))
    } finally {
      setIsCreating(false)
    }
  }
  return { beginning: isCreating, failure, begin: create }
}

/** The requested length of a video in seconds, and the lengths that the model offers. */
function durationOf({ model }: ModelSelection, draft: VideoDraft): { durations: number[]; duration: number } {
  const durations = model.facts.durations.length > 0 ? model.facts.durations : DURATIONS
  return { durations, duration: durations.includes(draft.duration) ? draft.duration : (durations[0] ?? 5) }
}

interface SettingsProps {
  choice: ModelSelection
  draft: VideoDraft
  change: (changes: Partial<VideoDraft>) => void
}

function Settings({ choice, draft, change }: SettingsProps) {
  const t = useTranslations('playground.video')
  const { durations, duration } = durationOf(choice, draft)
  const sibling = otherOrientationOf(choice)
  const orientation = choice.model.id.endsWith(LANDSCAPE) ? 'wide' : 'tall'
  return (
    <>
      <ModelSelect choice={choice} />
      {sibling !== null && (
        <Segmented
          label={t('orientation')}
          value={orientation}
          onChange={(next) => next !== orientation && updateSearchParams({ model: sibling })}
          options={[
            { value: 'tall', label: t('tall') },
            { value: 'wide', label: t('wide') },
          ]}
          className="self-start"
        />
      )}
      <NativeSelect
        label={t('duration')}
        value={String(duration)}
        onChange={(next) => change({ duration: Number(next) })}
        options={durations.map((seconds) => ({ value: String(seconds), label: t('seconds', { count: seconds }) }))}
      />
    </>
  )
}

/** Video mode. Tasks are created here, run elsewhere, and are found again by the page's address. */
export function VideoMode({ choice }: { choice: ModelSelection }) {
  const t = useTranslations('playground.video')
  const { group, model } = choice
  const [draft, change] = useDraft<VideoDraft>('video', NO_VIDEO)
  const taskId = useSearchParams().get('task')
  const { task, failure, cancel, retry, put } = useTask(taskId, group.id)
  const {
    beginning: isCreating,
    failure: createFailure,
    begin: create,
  } = useCreateTask(group.id, (begun, requestId) => {
    put(begun)
    change({ asked: { ...draft.asked, [begun.id]: { body: bodyOf(), requestId } } })
    updateSearchParams({ task: begun.id })
  })
  const bodyOf = (): VideoRequest['body'] => ({
    model: model.id,
    prompt: draft.prompt,
    duration: durationOf(choice, draft).duration,
    async: true,
  })
  const working = isCreating || (taskId !== null && failure === null && (task === null || !isFinished(task)))
  const createVideo = () => {
    if (!isCreating && draft.prompt.trim() !== '') void create(bodyOf())
  }
  useSendKeys({ onSend: createVideo, onStop: null })
  return (
    <Workbench summary={model.id} settings={<Settings choice={choice} draft={draft} change={change} />}>
      <Card className="flex flex-col gap-3">
        <TextField
          label={t('prompt')}
          placeholder={t('promptPlaceholder')}
          value={draft.prompt}
          onChange={(prompt) => change({ prompt })}
          rows={3}
        />
        {createFailure !== null && <FailureView failure={createFailure} onRetry={createVideo} />}
        <RunButton
          label={t('make')}
          running={false}
          disabled={isCreating || draft.prompt.trim() === ''}
          onRun={createVideo}
          onStop={() => undefined}
        />
      </Card>
      {taskId === null ? (
        <EmptyState icon={<Clapperboard />} title={t('emptyTitle')} text={t('emptyText')} />
      ) : (
        <Card className="flex flex-col gap-3" aria-label={t('result')}>
          {task !== null && <TaskView task={task} request={draft.asked[task.id]} onCancel={() => void cancel()} />}
          {task === null && working && <Skeleton className="aspect-video w-full rounded-md" />}
          {failure !== null && <FailureView failure={failure} onRetry={retry} />}
        </Card>
      )}
    </Workbench>
  )
}
