import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as mails from '#app/api/account/mails/route'
import { NotificationsPage } from '#components/settings/notifications-page'
import type { SearchParams } from '../../../search-params.ts'
import { Prefetch } from '../../prefetch.tsx'
import { requireUser } from '../../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('settings.names')
  return { title: t('notifications') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/settings/notifications', searchParams)
  return (
    <Prefetch reads={{ '/api/account/mails': mails }}>
      <NotificationsPage />
    </Prefetch>
  )
}
