'use client'
import { useTranslations } from 'next-intl'
import { LoadFailed } from '../../load-failed.tsx'
import { PageHeader } from '../../shell/page-header.tsx'
import { Card } from '../../ui/card.tsx'
import { RowsSkeleton } from '../../ui/rows-skeleton.tsx'
import { pageFrameStyles } from '../list-page.tsx'
import { MaintenanceCard, NoticeCard } from './maintenance-and-notice.tsx'
import { SettingsCard } from './settings-card.tsx'
import { areas } from './settings-form.ts'
import { useSettings } from './use-settings.ts'

/** The settings that can be changed at runtime, and where each value comes from. */
export function SettingsPage() {
  const t = useTranslations('operatorSettings')
  const settings = useSettings()
  return (
    <>
      <PageHeader title={t('title')} />
      <div className={pageFrameStyles}>
        <p className="mb-4 max-w-prose text-second">{t('lead')}</p>
        {settings.loaded ? (
          <div className="flex flex-col gap-5">
            <MaintenanceCard settings={settings} />
            <NoticeCard settings={settings} />
            {areas.map((area) => (
              <SettingsCard key={area} area={area} settings={settings} />
            ))}
          </div>
        ) : (
          <Card>
            {settings.error === undefined ? <RowsSkeleton /> : <LoadFailed error={settings.error} onRetry={settings.retry} />}
          </Card>
        )}
      </div>
    </>
  )
}
