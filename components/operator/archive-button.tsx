'use client'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { useErrorText } from '../use-error-text.ts'
import { useMayChange } from './use-may-change.ts'

interface ArchiveButtonProps {
  what: 'connection' | 'model' | 'deployment' | 'group'
  name: string
  /** The API path of the list, or of the row if that contains its id. */
  path: string
  /** The id of the row if the path does not contain it. */
  id?: string
  version: number
  archived: boolean
  /** What else the archiving does, in this case. */
  consequence?: ReactNode
  onDone: () => void
  size?: 'normal' | 'small'
}

/** Archives a record after a confirmation, or restores it. */
export function ArchiveButton({
  what,
  name,
  path,
  id,
  version,
  archived,
  consequence,
  onDone,
  size = 'normal',
}: ArchiveButtonProps) {
  const t = useTranslations('operator')
  const errorText = useErrorText()
  const [asking, setAsking] = useState(false)
  if (!useMayChange()) return null
  const act = async () => {
    const query = new URLSearchParams({ version: String(version), ...(id === undefined ? {} : { id }) })
    try {
      if (archived) await sendJson('PATCH', path, changeResult, { version, archived: false, ...(id === undefined ? {} : { id }) })
      else await sendJson('DELETE', `${path}?${query}`, changeResult)
      toast.success(t(archived ? 'restoredNamed' : 'archivedNamed', { name }))
      onDone()
    } catch (failure) {
      toast.error(t('notDone', { name }), { description: errorText(failure) })
    }
  }
  return (
    <>
      <Button
        size={size}
        aria-label={t(archived ? 'restoreNamed' : 'archiveNamed', { name })}
        onClick={() => (archived ? void act() : setAsking(true))}
      >
        {t(archived ? 'restore' : 'archive')}
      </Button>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('archiveTitle', { name })}
        description={t(`archiveTexts.${what}`)}
        action={t('archive')}
        onConfirm={() => void act()}
      >
        {consequence}
      </Confirm>
    </>
  )
}
