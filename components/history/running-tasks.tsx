'use client'
import { useTranslations } from 'next-intl'
import { useId, useRef, useState } from 'react'
import { cancelledTask, type RunningTask, runningTaskList } from '#lib/contracts/tasks'
import { formatMoney } from '#lib/domain/format-money'
import { sendJson } from '../fetch-json.ts'
import { LongName } from '../long-name.tsx'
import { Money } from '../money.tsx'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { Tag } from '../ui/tag.tsx'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { useFormat } from '../use-format.ts'

const PATH = '/api/tasks'
const BUSY_POLL_MS = 4_000
/** While there are none, which is usual. */
const IDLE_POLL_MS = 15_000

interface TaskLineProps {
  task: RunningTask
  busy: boolean
  onCancel: () => void
}

function TaskLine({ task, busy, onCancel }: TaskLineProps) {
  const t = useTranslations('history.inProgress')
  const tVideo = useTranslations('playground.video')
  const format = useFormat()
  const time = format.moment(task.at)
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line-soft border-b py-2 last:border-b-0 last:pb-0">
      <span className="flex min-w-40 flex-1 flex-wrap items-center gap-x-2 gap-y-0.5">
        <span className="[overflow-wrap:anywhere]">
          <LongName name={task.model} />
        </span>
        <Tag tone={task.state === 'processing' ? 'good' : 'plain'}>{tVideo(`status.${task.state}`)}</Tag>
      </span>
      <span className="flex min-w-0 flex-wrap items-center gap-x-4 text-second text-sm max-sm:w-full max-sm:order-last">
        <span className="max-w-36 truncate">{task.keyName}</span>
        <span>{tVideo('seconds', { count: task.seconds })}</span>
        <time dateTime={task.at}>{t('since', { time })}</time>
        <span>
          <Money nano={task.heldNano} /> {t('heldLabel')}
        </span>
      </span>
      <Button size="small" disabled={busy} aria-label={t('cancelOf', { model: task.model, time })} onClick={onCancel}>
        {t('cancel')}
      </Button>
    </li>
  )
}

/** Videos in progress. They hold money and have no row in the history until they end. Renders nothing if there are none. */
export function RunningTasks({ live }: { live: boolean }) {
  const t = useTranslations('history.inProgress')
  const errorText = useErrorText()
  const titleId = useId()
  const list = useRef<HTMLUListElement>(null)
  const [chosen, setChosen] = useState<RunningTask | null>(null)
  const [asking, setAsking] = useState(false)
  const [busyId, setBusyId] = useState<string | null>(null)
  const { data, mutate } = useApi(PATH, runningTaskList, {
    refreshInterval: (latest) => (latest !== undefined && latest.rows.length > 0 ? BUSY_POLL_MS : live ? IDLE_POLL_MS : 0),
  })
  const cancel = async ({ id }: RunningTask) => {
    setBusyId(id)
    try {
      const { state } = await sendJson('POST', `${PATH}/${id}/cancel`, cancelledTask)
      toast.success(t(state === 'cancelled' ? 'cancelled' : 'asked'))
      // The row disappears with its button, and the focus would be lost with it.
      if (list.current?.contains(document.activeElement)) document.querySelector('main')?.focus({ preventScroll: true })
    } catch (failure) {
      toast.error(t('failed'), { description: errorText(failure) })
    }
    await mutate()
    setBusyId(null)
  }
  const rows = data?.rows ?? []
  return (
    <>
      {rows.length > 0 && (
        <Card aria-labelledby={titleId}>
          <CardHeader id={titleId} title={t('title')} />
          <ul ref={list} className="mt-1">
            {rows.map((task) => (
              <TaskLine
                key={task.id}
                task={task}
                busy={busyId === task.id}
                onCancel={() => {
                  setChosen(task)
                  setAsking(true)
                }}
              />
            ))}
          </ul>
          {data !== undefined && data.more > 0 && <p className="mt-2 text-second text-sm">{t('more', { count: data.more })}</p>}
        </Card>
      )}
      {chosen !== null && (
        <Confirm
          open={asking}
          onOpenChange={setAsking}
          title={t('confirmTitle')}
          description={t('confirmText', { model: chosen.model, amount: formatMoney(chosen.heldNano).text })}
          action={t('confirm')}
          cancelLabel={t('keep')}
          onConfirm={() => void cancel(chosen)}
        />
      )}
    </>
  )
}
