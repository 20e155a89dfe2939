'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { groupList, type KeyRow, keyResult } from '#lib/contracts/keys'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { changesOf, formOfKey } from './key-form.ts'
import { KeyFormView } from './key-form-view.tsx'

interface EditKeyDialogProps {
  row: KeyRow
  open: boolean
  onOpenChange: (open: boolean) => void
  onSaved: (key: KeyRow) => void
}

/** Changes the settings of a key. */
export function EditKeyDialog({ row, open, onOpenChange, onSaved }: EditKeyDialogProps) {
  const t = useTranslations('key')
  const errorText = useErrorText()
  // The row that the form was filled from. The row is reloaded while the form is open. Compared with the reloaded row, changes
  // that others made in the meantime would be reverted.
  const [opened] = useState(row)
  const { data, error } = useApi(open ? '/api/groups' : null, groupList)
  const save = async (input: Parameters<typeof changesOf>[1]) => {
    const { key } = await sendJson('PATCH', `/api/keys/${encodeURIComponent(row.id)}`, keyResult, changesOf(opened, input))
    onSaved(key)
    onOpenChange(false)
    toast.success(t('saved', { name: key.name }))
  }
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('editTitle', { name: row.name })} sticky>
      {data !== undefined ? (
        <KeyFormView
          groups={data.rows}
          initial={formOfKey(opened)}
          exists
          limitsOpen
          action={t('save')}
          busyAction={t('saving')}
          onSave={save}
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
