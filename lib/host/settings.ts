import type pg from 'pg'
import type { Logger } from 'pino'
import { defaultSettings, type Env } from '../env.ts'
import { createLiveSettings } from '../services/live-settings.ts'
import type { LiveSettings } from '../services/settings-ports.ts'
import { ChangeListener } from '../store/change-listener.ts'
import { createSettingStore } from '../store/settings-store.ts'
import { createReloader } from './reload.ts'

export interface RuntimeSettings extends LiveSettings {
  /** Reads the settings again, and retries until that works. */
  reload(): void
}

/** Opens the settings of this process, including those that operators have set. Rejects if the database does not respond. */
export async function openSettings(pool: pg.Pool, env: Env, log: Logger): Promise<RuntimeSettings> {
  const { list } = createSettingStore(pool)
  const onInvalid = (name: string) => log.warn({ setting: name }, 'a stored setting is invalid: the default value is used')
  const live = createLiveSettings(defaultSettings(env), list, onInvalid)
  await live.load()
  const reload = createReloader(() => live.load(), { isEnding: () => pool.ending, what: 'settings', log })
  return { values: live.values, defaults: live.defaults, load: () => live.load(), reload }
}

/** Listens for changed settings in a process that serves no API and so does not listen for other changes. */
export async function subscribeToSettings(
  { pool, env, log }: { pool: pg.Pool; env: Env; log: Logger },
  settings: Pick<RuntimeSettings, 'reload'>,
): Promise<ChangeListener> {
  const notifications = new ChangeListener({
    url: env.DATABASE_URL ?? '',
    pool,
    warn: (message, error) => log.warn({ error: String(error) }, message),
    handlers: {
      onRecall: () => undefined,
      onReturned: () => undefined,
      onChange(topic) {
        if (topic === 'setting') settings.reload()
      },
    },
  })
  await notifications.start()
  return notifications
}
