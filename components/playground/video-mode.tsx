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
import { useFormat } from '../use-format.ts'
import { writeAddress } from '../write-address.ts'
import { asFailure, callApi, type Failure } from './call.ts'
import type { Choice } from './choose.ts'
import { ChooseModel } from './choose-model.tsx'
import { useDraft } from './draft.ts'
import { FailureView } from './failure-view.tsx'
import { NO_FIGURES, withUsage } from './figures.ts'
import { FiguresLine } from './figures-line.tsx'
import { type AskedVideo, NO_VIDEO, type VideoDraft } from './media-drafts.ts'
import { RunButton } from './run-button.tsx'
import { TextField } from './text-field.tsx'
import { useSendKeys } from './use-send-keys.ts'
import { isOver, readTask, useTask, type VideoTask } from './use-task.ts'
import { ViewCode } from './view-code.tsx'
import { Workbench } from './workbench.tsx'

const LANDSCAPE = '-landscape'
const DURATIONS = [5, 10, 15, 20]
const TONES: Record<VideoTask['status'], Tone> = { pending: 'plain', processing: 'good', completed: 'good', failed: 'bad' }

/** The other model of a pair: one makes portrait videos, the other landscape videos. Null if there is no other. */
function siblingOf({ model, models }: Choice): string | null {
  const name = model.id.endsWith(LANDSCAPE) ? model.id.slice(0, -LANDSCAPE.length) : `${model.id}${LANDSCAPE}`
  return models.some(({ id }) => id === name) ? name : null
}

/** Milliseconds since a time. Updated every second while something is running. */
function useElapsed(sinceMs: number, runs: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!runs) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [runs])
  return Math.max(0, now - sinceMs)
}

interface TaskViewProps {
  task: VideoTask
  asked: AskedVideo | undefined
  onCancel: () => void
}

function TaskView({ task, asked, onCancel }: TaskViewProps) {
  const t = useTranslations('playground.video')
  const format = useFormat()
  const over = isOver(task)
  const elapsed = useElapsed(task.created_at * 1000, !over)
  const tookMs = over ? Math.max(0, (task.finished_at ?? task.created_at) - task.created_at) * 1000 : null
  const figures = withUsage({ ...NO_FIGURES, requestId: over ? (asked?.requestId ?? null) : null, totalMs: tookMs }, task.usage)
  return (
    <>
      <div className="flex flex-wrap items-center gap-2" role="status">
        <span className="mono truncate text-second">{task.model}</span>
        <Tag tone={TONES[task.status]} data-testid="status">
          {t(`status.${task.status}`)}
        </Tag>
        {!over && <span className="figures text-second text-sm">{t('elapsed', { time: format.duration(elapsed) })}</span>}
        {!over && (
          <Button size="small" onClick={onCancel} className="ml-auto">
            {t('cancel')}
          </Button>
        )}
      </div>
      {!over && <Skeleton className="aspect-video w-full rounded-md" />}
      {task.video_url !== undefined && (
        <>
          {/* biome-ignore lint/a11y/useMediaCaption: the page cannot know whether anything is spoken in it */}
          <video
            controls
            playsInline
            src={task.video_url}
            aria-label={asked?.body.prompt ?? t('result')}
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
          {asked !== undefined && <ViewCode call={{ path: '/videos/generations', body: asked.body }} />}
        </FiguresLine>
      </div>
    </>
  )
}

/** Creates a task and opens it. Reports what went wrong. */
function useBegin(groupId: string, onBegun: (task: VideoTask, requestId: string | null) => void) {
  const [beginning, setBeginning] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const begin = async (body: AskedVideo['body']) => {
    setBeginning(true)
    setFailure(null)
    try {
      const response = await callApi({ path: '/videos/generations', groupId, body })
      onBegun(await readTask(response), response.headers.get('x-request-id'))
    } catch (error) {
      setFailure(asFailure(error))
    } finally {
      setBeginning(false)
    }
  }
  return { beginning, failure, begin }
}

/** The requested length of a video in seconds, and the lengths that the model offers. */
function lengthOf({ model }: Choice, draft: VideoDraft): { durations: number[]; duration: number } {
  const durations = model.facts.durations.length > 0 ? model.facts.durations : DURATIONS
  return { durations, duration: durations.includes(draft.duration) ? draft.duration : (durations[0] ?? 5) }
}

interface SettingsProps {
  choice: Choice
  draft: VideoDraft
  change: (changes: Partial<VideoDraft>) => void
}

function Settings({ choice, draft, change }: SettingsProps) {
  const t = useTranslations('playground.video')
  const { durations, duration } = lengthOf(choice, draft)
  const sibling = siblingOf(choice)
  const orientation = choice.model.id.endsWith(LANDSCAPE) ? 'wide' : 'tall'
  return (
    <>
      <ChooseModel choice={choice} />
      {sibling !== null && (
        <Segmented
          label={t('orientation')}
          value={orientation}
          onChange={(next) => next !== orientation && writeAddress({ model: sibling })}
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
export function VideoMode({ choice }: { choice: Choice }) {
  const t = useTranslations('playground.video')
  const { group, model } = choice
  const [draft, change] = useDraft<VideoDraft>('video', NO_VIDEO)
  const taskId = useSearchParams().get('task')
  const { task, failure, cancel, again, put } = useTask(taskId, group.id)
  const {
    beginning,
    failure: refused,
    begin,
  } = useBegin(group.id, (begun, requestId) => {
    put(begun)
    change({ asked: { ...draft.asked, [begun.id]: { body: bodyOf(), requestId } } })
    writeAddress({ task: begun.id })
  })
  const bodyOf = (): AskedVideo['body'] => ({
    model: model.id,
    prompt: draft.prompt,
    duration: lengthOf(choice, draft).duration,
    async: true,
  })
  const working = beginning || (taskId !== null && failure === null && (task === null || !isOver(task)))
  const make = () => {
    if (!beginning && draft.prompt.trim() !== '') void begin(bodyOf())
  }
  useSendKeys({ onSend: make, onStop: null })
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
        {refused !== null && <FailureView failure={refused} onRetry={make} />}
        <RunButton
          label={t('make')}
          running={false}
          disabled={beginning || draft.prompt.trim() === ''}
          onRun={make}
          onStop={() => undefined}
        />
      </Card>
      {taskId === null ? (
        <EmptyState icon={<Clapperboard />} title={t('emptyTitle')} text={t('emptyText')} />
      ) : (
        <Card className="flex flex-col gap-3" aria-label={t('result')}>
          {task !== null && <TaskView task={task} asked={draft.asked[task.id]} onCancel={() => void cancel()} />}
          {task === null && working && <Skeleton className="aspect-video w-full rounded-md" />}
          {failure !== null && <FailureView failure={failure} onRetry={again} />}
        </Card>
      )}
    </Workbench>
  )
}
