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
  /** Expands the limits that few keys need, for readers who came to set one. */
  limitsOpen: boolean
  onOpenChange: (open: boolean) => void
  onCreated: (created: CreatedKey) => void
}

/** Asks for the name and the limits of a new key. */
export function CreateKeyDialog({ open, limitsOpen, onOpenChange, onCreated }: CreateKeyDialogProps) {
  const t = useTranslations('keys')
  const errorText = useErrorText()
  const { data, error } = useApi('/api/groups', groupList)
  // The dialog is part of the address, and the Back button leaves it without a confirmation. The draft is there when it is
  // opened again.
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
