import { type SettingList, settingNames } from '#lib/contracts/settings'
import type { Ctx } from '../ports.ts'

/** Lists every setting with its value, where the value comes from, and who changed it last. */
export async function listSettings({ ctx }: { ctx: Ctx<'settingStore' | 'liveSettings' | 'billing'> }): Promise<SettingList> {
  await ctx.liveSettings.load()
  const records = new Map((await ctx.settingStore.list()).map((record) => [record.name, record]))
  const { values, defaults } = ctx.liveSettings
  const rows = settingNames.map((name) => {
    const record = records.get(name)
    return {
      name,
      value: values[name],
      usual: defaults[name],
      set: record?.set ?? false,
      version: record?.version ?? 0,
      changedAt: record?.changedAt.toISOString() ?? null,
      changedBy: record?.changedBy ?? null,
    }
  })
  return { rows, currency: ctx.billing.currency }
}
