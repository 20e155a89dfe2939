'use client'
import { useTranslations } from 'next-intl'
import { type CreatedKey, createdKey, groupList } from '#lib/contracts/keys'
import { sendJson } from '../fetch-json.ts'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { emptyKeyForm } from './key-form.ts'
import { KeyFormView } from './key-form-view.tsx'

interface CreateKeyDialogProps {
  open: boolean
  /** Unfolds what few keys need, for those who came to set a limit. */
  limitsOpen: boolean
  onOpenChange: (open: boolean) => void
  onCreated: (created: CreatedKey) => void
}

/** Asks what a new key is for and what it may do. */
export function CreateKeyDialog({ open, limitsOpen, onOpenChange, onCreated }: CreateKeyDialogProps) {
  const t = useTranslations('keys')
  const errorText = useErrorText()
  const { data, error } = useApi('/api/groups', groupList)
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('createTitle')} sticky>
      {data !== undefined ? (
        <KeyFormView
          groups={data.rows}
          initial={emptyKeyForm((data.rows.find((group) => group.isDefault) ?? data.rows[0])?.id ?? '')}
          limitsOpen={limitsOpen}
          action={t('create')}
          busyAction={t('creating')}
          onSave={(input) => sendJson('POST', '/api/keys', createdKey, input).then(onCreated)}
          onCancel={() => onOpenChange(false)}
        />
      ) : (
        <DialogBody>
          {error !== undefined ? <p className="text-bad">{errorText(error)}</p> : <Skeleton className="h-72 w-full" />}
        </DialogBody>
      )}
    </Dialog>
  )
}
