'use client'
import { useTranslations } from 'next-intl'
import { useSWRConfig } from 'swr'
import { z } from 'zod'
import type { Me } from '#lib/contracts/session'
import { profileInput } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useSubmit } from '../use-submit.ts'
import { FormCard } from './form-card.tsx'

/** Changes the user's name. */
export function NameCard({ me }: { me: Me }) {
  const t = useTranslations('settings')
  const { mutate } = useSWRConfig()
  const { busy, problem, setProblem, run } = useSubmit()
  const save = async (form: FormData) => {
    const checked = profileInput.safeParse({ name: form.get('name') })
    if (!checked.success) return setProblem({ field: 'name', text: t('nameWrong') })
    const saved = await run(async () => void (await sendJson('POST', '/api/settings/profile', z.unknown(), checked.data)))
    if (!saved) return
    toast.success(t('nameSaved'))
    // A server may still return the old name for a few seconds.
    await mutate('/api/me', { ...me, name: checked.data.name }, { revalidate: false })
  }
  return (
    <FormCard title={t('nameTitle')} action={busy ? t('saving') : t('save')} disabled={busy} onSubmit={(form) => void save(form)}>
      <Field label={t('nameLabel')} hint={t('nameHint')} error={problem?.text} className="sm:max-w-sm">
        {(control) => <Input {...control} name="name" autoComplete="name" maxLength={80} defaultValue={me.name} required />}
      </Field>
    </FormCard>
  )
}
