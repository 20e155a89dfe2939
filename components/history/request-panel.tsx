'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useSWRConfig } from 'swr'
import { type RequestDetail, requestDetail } from '#lib/contracts/requests'
import { LoadFailed } from '../load-failed.tsx'
import { Button } from '../ui/button.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Tag } from '../ui/tag.tsx'
import { useApi } from '../use-api.ts'
import { useFinishReasonText } from '../use-finish-reason-text.ts'
import { useFormat } from '../use-format.ts'
import { useModelName } from '../use-model-name.ts'
import { endpointPath } from './endpoint-path.ts'
import { Messages } from './messages.tsx'
import { PanelActions } from './panel-actions.tsx'
import { PanelSkeleton } from './panel-skeleton.tsx'
import { Receipt } from './receipt.tsx'
import { RequestRoute } from './request-route.tsx'
import { useStatus } from './use-status.ts'
import { Waterfall } from './waterfall.tsx'

const detailPath = (id: string): string => `/api/requests/${encodeURIComponent(id)}`

function Details({ detail }: { detail: RequestDetail }) {
  const { mutate } = useSWRConfig()
  // When the deletion is answered, another request may be open, and this one may be shown from the cache later.
  const markDeleted = () =>
    void mutate<RequestDetail>(detailPath(detail.id), (cached) => cached && { ...cached, history: null, historyDeleted: true })
  const { reason } = useStatus()(detail)
  return (
    <>
      {reason !== null && (
        <div className="rounded-md bg-bad-tint px-3 py-2">
          <p className="font-medium text-bad">{reason}</p>
          {detail.errorText !== null && <p className="[overflow-wrap:anywhere]">{detail.errorText}</p>}
        </div>
      )}
      <Waterfall detail={detail} />
      <Messages key={detail.id} history={detail.history} deleted={detail.historyDeleted} />
      <Receipt detail={detail} />
      <RequestRoute detail={detail} />
      <PanelActions detail={detail} onDeleted={markDeleted} />
    </>
  )
}

interface RequestPanelProps {
  id: string
  onClose: () => void
  /** Whether to mention the keys that move and close. */
  withKeys: boolean
}

/** Every detail of one request: its time, messages, receipt and route. */
export function RequestPanel({ id, onClose, withKeys }: RequestPanelProps) {
  const t = useTranslations('history')
  const finishReasonText = useFinishReasonText()
  const common = useTranslations('common')
  const format = useFormat()
  const modelName = useModelName()
  const { data, error, mutate } = useApi(detailPath(id), requestDetail, {
    // A finished request no longer changes.
    revalidateOnFocus: false,
    revalidateIfStale: false,
  })
  return (
    <div className="flex min-w-0 flex-col gap-5 p-4 sm:p-[22px]">
      <div className="flex flex-col gap-3">
        <div className="flex items-start justify-between gap-3">
          <h2 className="flex min-h-7 min-w-0 flex-wrap items-center gap-2 font-semibold [overflow-wrap:anywhere]">
            {data !== undefined ? (
              modelName(data.model)
            ) : error !== undefined ? (
              common('loadFailed')
            ) : (
              <Skeleton className="h-4 w-40" />
            )}
            {data?.finishReason != null && (
              <Tag tone={data.finishReason === 'stop' ? 'good' : 'plain'}>{finishReasonText(data.finishReason)}</Tag>
            )}
          </h2>
          <div className="flex shrink-0 items-center gap-1.5">
            {withKeys && (
              <span aria-hidden className="hidden gap-1.5 sm:flex">
                <Kbd>J</Kbd>
                <Kbd>K</Kbd>
                <Kbd>Esc</Kbd>
              </span>
            )}
            <Button tone="ghost" size="tiny" aria-label={common('close')} onClick={onClose}>
              <X aria-hidden className="size-4" />
            </Button>
          </div>
        </div>
        {data !== undefined && (
          <p className="mono text-second [overflow-wrap:anywhere]">
            {data.id} · {format.exactMoment(data.at)} · {data.keyName} · {endpointPath(data.endpoint)}
            {data.stream && ` · ${t('stream')}`}
          </p>
        )}
      </div>
      {data !== undefined ? (
        <Details detail={data} />
      ) : error !== undefined ? (
        <LoadFailed error={error} onRetry={() => void mutate()} />
      ) : (
        <PanelSkeleton />
      )}
    </div>
  )
}
