import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ProfilePage } from '#components/settings/profile-page'
import type { SearchParams } from '../../search-params.ts'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('settings')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/settings', searchParams)
  return <ProfilePage />
}
