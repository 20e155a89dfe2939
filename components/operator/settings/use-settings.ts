'use client'
import { useTranslations } from 'next-intl'
import { useSWRConfig } from 'swr'
import { type SettingName, settingList } from '#lib/contracts/settings'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { useApi } from '../../use-api.ts'

const PATH = '/api/operator/settings'

/** One setting's new value, or its usual one, over the version that was in sight when it was begun. */
type Change = { name: SettingName; version: number } & ({ value: unknown } | { usual: true })

/** The settings, and what changes them. */
export function useSettings() {
  const t = useTranslations('operatorSettings')
  const { mutate: mutateAny } = useSWRConfig()
  const { data, error, mutate } = useApi(PATH, settingList, { refreshInterval: 30_000 })
  const rows = new Map(data?.rows.map((row) => [row.name, row]))
  const change = async (changes: Change[]) => {
    const changed = await sendJson('PATCH', PATH, settingList, { changes })
    await mutate(changed, { revalidate: false })
    // The notice and the maintenance stand over every page, this one too.
    await mutateAny('/api/me')
    toast.success(t('saved'))
  }
  return { loaded: data !== undefined, rows, error, retry: () => void mutate(), change }
}

export type Settings = ReturnType<typeof useSettings>
