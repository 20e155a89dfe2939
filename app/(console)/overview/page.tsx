import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as groups from '#app/api/groups/route'
import * as overview from '#app/api/overview/route'
import { OverviewPage } from '#components/overview/overview-page'
import { periodOf } from '../../../components/overview/period.ts'
import { firstValue, type SearchParams } from '../../search-params.ts'
import { Prefetch } from '../prefetch.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('overview')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/overview', searchParams)
  const days = periodOf(firstValue((await searchParams).days))
  return (
    <Prefetch reads={{ [`/api/overview?days=${days}`]: overview, '/api/groups': groups }}>
      <OverviewPage />
    </Prefetch>
  )
}
