'use client'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import { type CreatedKey, type CreateKeyInput, createdKey, groupList } from '#lib/contracts/keys'
import { sendJson } from '../fetch-json.ts'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { emptyKeyForm, type KeyForm } from './key-form.ts'
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
  // The dialog is an address, which the browser's way back leaves without a question: it is there again as it was typed.
  const draft = useRef<KeyForm | null>(null)
  const close = () => {
    draft.current = null
    onOpenChange(false)
  }
  const create = async (input: CreateKeyInput) => {
    const created = await sendJson('POST', '/api/keys', createdKey, input)
    draft.current = null
    onCreated(created)
  }
  return (
    <Dialog open={open} onOpenChange={close} title={t('createTitle')} sticky>
      {data !== undefined ? (
        <KeyFormView
          groups={data.rows}
          initial={draft.current ?? emptyKeyForm((data.rows.find((group) => group.isDefault) ?? data.rows[0])?.id ?? '')}
          limitsOpen={limitsOpen}
          action={t('create')}
          busyAction={t('creating')}
          onSave={create}
          onDraft={(form) => {
            draft.current = form
          }}
          onCancel={close}
        />
      ) : (
        <DialogBody>
          {error !== undefined ? <p className="text-bad">{errorText(error)}</p> : <Skeleton className="h-72 w-full" />}
        </DialogBody>
      )}
    </Dialog>
  )
}
