'use client'
import { useTranslations } from 'next-intl'
import { useSWRConfig } from 'swr'
import { type SettingName, settingList } from '#lib/contracts/settings'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { useApi } from '../../use-api.ts'

const PATH = '/api/operator/settings'

/** A new value of a setting, or its reset, with the version of the setting when the edit began. */
type Change = { name: SettingName; version: number } & ({ value: unknown } | { usual: true })

/** The settings and a function that changes them. */
export function useSettings() {
  const t = useTranslations('operatorSettings')
  const { mutate: mutateAny } = useSWRConfig()
  const { data, error, mutate } = useApi(PATH, settingList, { refreshInterval: 30_000 })
  const rows = new Map(data?.rows.map((row) => [row.name, row]))
  const change = async (changes: Change[]) => {
    const changed = await sendJson('PATCH', PATH, settingList, { changes })
    await mutate(changed, { revalidate: false })
    // The notice and the maintenance state are shown on every page, including this one.
    await mutateAny('/api/me')
    toast.success(t('saved'))
  }
  return { loaded: data !== undefined, rows, error, retry: () => void mutate(), change }
}

export type Settings = ReturnType<typeof useSettings>
