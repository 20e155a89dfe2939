import {
  type ChangeSettingsInput,
  SETTINGS,
  type SettingList,
  type SettingName,
  type SettingValues,
} from '#lib/contracts/settings'
import { currencyOf, toMinor } from '../../domain/currency.ts'
import { parseDecimal } from '../../domain/money.ts'
import { messageWith } from '../../messages/message.ts'
import { resolveSettings } from '../live-settings.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import type { SettingChange } from '../settings-ports.ts'
import { describeZodIssue } from '../zod-error-map.ts'
import { messageOfIssue, pathOfIssue } from '../zod-issue.ts'
import { listSettings } from './list-settings.ts'

/** Parses a value by its setting's type. Errors: `invalid_input`, with the setting's name as field. */
function parseSetting(name: SettingName, input: unknown): unknown {
  const result = SETTINGS[name].type.safeParse(input, { error: describeZodIssue })
  if (result.success) return result.data
  const [issue] = result.error.issues
  const [path, fault] = [pathOfIssue(issue), messageOfIssue(issue)]
  throw invalidField(name, path ? messageWith('{place}: {fault}', { place: path, fault }) : fault)
}

/** Checks settings that depend on each other. */
function checkCombination(after: SettingValues, changed: ReadonlySet<SettingName>, currencyCode: string): void {
  const currency = currencyOf(currencyCode)
  for (const name of ['topUpMin', 'topUpMax'] as const) {
    if (!changed.has(name) || currency === null) continue
    const minor = toMinor(parseDecimal(after[name]) ?? 0n, currency)
    if (minor === null || minor === 0n)
      throw invalidField(
        name,
        messageWith('Enter an amount above zero that can be paid in {currency}.', { currency: currency.code }),
      )
  }
  const [min, max] = [parseDecimal(after.topUpMin) ?? 0n, parseDecimal(after.topUpMax) ?? 0n]
  if ((changed.has('topUpMin') || changed.has('topUpMax')) && min > max)
    throw invalidField(changed.has('topUpMax') ? 'topUpMax' : 'topUpMin', 'The minimum top-up is above the maximum.')
  if ((changed.has('breakerCoolMs') || changed.has('breakerCoolMostMs')) && after.breakerCoolMs > after.breakerCoolMostMs)
    throw invalidField(
      changed.has('breakerCoolMostMs') ? 'breakerCoolMostMs' : 'breakerCoolMs',
      'The first pause of a breaker is longer than its longest pause.',
    )
}

/**
 * Changes settings, all or none. Every process has them within a second. Returns all settings as they are now.
 * Errors: `invalid_input` with the setting's name as field; `conflict` if somebody else changed a setting first.
 */
export async function changeSettings({
  ctx,
  input: { changes },
}: {
  ctx: Ctx<'settingStore' | 'liveSettings' | 'billing'>
  input: ChangeSettingsInput
}): Promise<SettingList> {
  const { liveSettings, settingStore } = ctx
  await liveSettings.load()
  const { values, defaults } = liveSettings
  const changed = new Set<SettingName>()
  const all: SettingChange[] = changes.map((change) => {
    const { name, version } = change
    if (changed.has(name)) throw invalidField(name, 'It is listed twice.')
    changed.add(name)
    const to = 'usual' in change ? undefined : { value: parseSetting(name, change.value) }
    return { name, version, ...(to ? { to } : {}), before: values[name], usual: defaults[name] }
  })
  // If two callers change the minimum and the maximum at the same time, the second is checked against what the first has written.
  const refused = await settingStore.write(ctx.user, all, (after) =>
    checkCombination(resolveSettings(defaults, after), changed, ctx.billing.currency),
  )
  if (refused)
    throw new ServiceError(
      'conflict',
      messageWith('Somebody else has changed this setting ({name}). Reload the page.', { name: refused.stale }),
      {
        field: refused.stale,
      },
    )
  return listSettings({ ctx })
}
