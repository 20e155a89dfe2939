'use client'
import { useTranslations } from 'next-intl'
import { useSWRConfig } from 'swr'
import { z } from 'zod'
import { sendResult, type WebhookRow, webhookList, webhookRow, webhookSecret } from '#lib/contracts/webhooks'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'

const PATH = '/api/webhooks'
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`

/** The path of the first page of an endpoint's deliveries. */
export const deliveriesPath = (id: string) => `${pathOf(id)}/deliveries?limit=20`

/** The account's endpoints and the actions on them. Each action reports its result and offers an undo if that is possible. */
export function useWebhooks() {
  const t = useTranslations('webhooks')
  const errorText = useErrorText()
  const { mutate: mutateAny } = useSWRConfig()
  const { data, error, mutate } = useApi(PATH, webhookList, { refreshInterval: 15_000 })
  const reportFailure = (failure: unknown) => {
    toast.error(t('failed'), { description: errorText(failure) })
    return null
  }
  const refreshDeliveries = (id: string) => mutateAny(deliveriesPath(id))
  const setEnabled = async (row: WebhookRow, enabled: boolean, isUndo = false): Promise<void> => {
    try {
      await sendJson('PATCH', pathOf(row.id), webhookRow, { enabled })
      await mutate()
      if (isUndo) toast.success(t('undone'))
      else if (enabled) toast.success(t('switchedOn'))
      else {
        const action = { label: t('undo'), onClick: () => void setEnabled(row, true, true) }
        toast.success(t('switchedOff'), { description: t('droppedStay'), action })
      }
    } catch (failure) {
      reportFailure(failure)
    }
  }
  return {
    hooks: data?.rows,
    error,
    retry: () => void mutate(),
    changed: () => void mutate(),
    switchTo: setEnabled,
    async test(row: WebhookRow) {
      try {
        await sendJson('POST', `${pathOf(row.id)}/test`, sendResult)
        toast.success(t('testSent'), { description: t('testSentText') })
        await refreshDeliveries(row.id)
      } catch (failure) {
        reportFailure(failure)
      }
    },
    async remove(row: WebhookRow) {
      try {
        await sendJson('DELETE', pathOf(row.id), z.unknown())
        toast.success(t('removed'), { description: t('removedText') })
        await mutate()
      } catch (failure) {
        reportFailure(failure)
      }
    },
    async rotate(row: WebhookRow) {
      const rotated = await sendJson('POST', `${pathOf(row.id)}/rotate`, webhookSecret).catch(reportFailure)
      await mutate()
      return rotated
    },
    async resend(hookId: string, deliveryId: string) {
      try {
        await sendJson('POST', `/api/webhook-deliveries/${encodeURIComponent(deliveryId)}/resend`, sendResult)
        toast.success(t('resent'))
        await refreshDeliveries(hookId)
      } catch (failure) {
        reportFailure(failure)
      }
    },
  }
}
