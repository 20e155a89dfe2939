import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { UsagePage } from '#components/usage/usage-page'
import type { SearchParams } from '../../search-params.ts'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('usage')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/usage', searchParams)
  return <UsagePage />
}
