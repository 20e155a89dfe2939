'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { requestDetail } from '#lib/contracts/requests'
import { endpointPath } from '../history/endpoint-path.ts'
import { PanelSkeleton } from '../history/panel-skeleton.tsx'
import { Receipt } from '../history/receipt.tsx'
import { RequestRoute } from '../history/request-route.tsx'
import { useStatus } from '../history/use-status.ts'
import { Waterfall } from '../history/waterfall.tsx'
import { LoadFailed } from '../load-failed.tsx'
import { accountApi } from '../operator/paths.ts'
import { Button } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useApi } from '../use-api.ts'
import { useFormat } from '../use-format.ts'
import { useModelName } from '../use-model-name.ts'

interface RequestSheetProps {
  accountId: string
  requestId: string
  onClose: () => void
}

function RequestDetails({ accountId, requestId, onClose }: RequestSheetProps) {
  const t = useTranslations('operatorAccounts')
  const common = useTranslations('common')
  const format = useFormat()
  const modelName = useModelName()
  const status = useStatus()
  const path = `${accountApi(accountId, '/request')}?request=${encodeURIComponent(requestId)}`
  const { data, error, mutate } = useApi(path, requestDetail, { revalidateOnFocus: false, revalidateIfStale: false })
  const reason = data === undefined ? null : status(data).reason
  return (
    <div className="flex min-w-0 flex-col gap-5 p-4 sm:p-[22px]">
      <div className="flex items-start justify-between gap-3">
        <h2 className="min-h-7 min-w-0 font-semibold [overflow-wrap:anywhere]">
          {data === undefined ? t('request') : modelName(data.model)}
        </h2>
        <Button tone="ghost" size="tiny" aria-label={common('close')} onClick={onClose}>
          <X aria-hidden className="size-4" />
        </Button>
      </div>
      {data === undefined ? (
        error === undefined ? (
          <PanelSkeleton />
        ) : (
          <LoadFailed error={error} onRetry={() => void mutate()} />
        )
      ) : (
        <>
          <p className="mono text-second [overflow-wrap:anywhere]">
            {data.id} · {format.exactMoment(data.at)} · {data.keyName} · {endpointPath(data.endpoint)}
          </p>
          {reason !== null && <p className="rounded-md bg-bad-tint px-3 py-2 font-medium text-bad">{reason}</p>}
          <Waterfall detail={data} />
          <Receipt detail={data} />
          <RequestRoute detail={data} />
          <p className="text-second text-sm">{t('neverSaid')}</p>
        </>
      )}
    </div>
  )
}

/** A request as operators see it: its time, its receipt and its attempts. */
export function RequestSheet(props: RequestSheetProps) {
  const t = useTranslations('operatorAccounts')
  return (
    <Sheet open onOpenChange={props.onClose} title={t('request')} side="right" className="w-full bg-panel sm:w-[440px]">
      <RequestDetails {...props} />
    </Sheet>
  )
}
