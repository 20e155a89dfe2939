'use client'
import { Play, Trash2 } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { z } from 'zod'
import type { RequestDetail } from '#lib/contracts/requests'
import { sendJson } from '../fetch-json.ts'
import { readDraft } from '../playground/read-media-replay.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { useErrorText } from '../use-error-text.ts'
import { useMe } from '../use-me.ts'
import { endpointPath } from './endpoint-path.ts'
import { repeatCurl } from './repeat-curl.ts'

/** Deletes the messages of a request, after a confirmation. */
function DeleteMessages({ id, onDeleted }: { id: string; onDeleted: () => void }) {
  const t = useTranslations('requests.panel')
  const errorText = useErrorText()
  const [asking, setAsking] = useState(false)
  const remove = async () => {
    try {
      await sendJson('DELETE', `/api/history/requests/${encodeURIComponent(id)}`, z.object({}))
      onDeleted()
      toast.success(t('deleteDone'))
    } catch (error) {
      toast.error(t('deleteFailed'), { description: errorText(error) })
    }
  }
  return (
    <>
      <Button tone="ghost" onClick={() => setAsking(true)} className="text-bad hover:text-bad">
        <Trash2 aria-hidden className="size-3.5" />
        {t('delete')}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('deleteTitle')}
        description={t('deleteText')}
        action={t('delete')}
        onConfirm={() => void remove()}
      />
    </>
  )
}

/** The actions on a request. */
export function PanelActions({ detail, onDeleted }: { detail: RequestDetail; onDeleted: () => void }) {
  const t = useTranslations('history')
  const tPanel = useTranslations('requests.panel')
  const me = useMe()
  const body = detail.history?.request
  return (
    <div className="flex flex-wrap gap-2">
      {body !== undefined && readDraft(detail.endpoint, body) !== null && (
        <Button asChild>
          <Link href={`/playground?from=${encodeURIComponent(detail.id)}`} prefetch={false}>
            <Play aria-hidden className="size-3.5" />
            {tPanel('replay')}
          </Link>
        </Button>
      )}
      {body !== undefined && me !== undefined && (
        <CopyButton text={repeatCurl(`${me.baseUrl}/${endpointPath(detail.endpoint)}`, body)} label={t('copyCurl')} tone="plain">
          {t('copyCurl')}
        </CopyButton>
      )}
      <CopyButton text={`${window.location.origin}/history?id=${detail.id}`} label={tPanel('copyLink')} tone="plain">
        {tPanel('copyLink')}
      </CopyButton>
      {body !== undefined && <DeleteMessages key={detail.id} id={detail.id} onDeleted={onDeleted} />}
    </div>
  )
}
