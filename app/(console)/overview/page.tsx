import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as groups from '#app/api/groups/route'
import * as overview from '#app/api/overview/route'
import { OverviewPage } from '#components/overview/overview-page'
import { periodOf } from '../../../components/overview/period.ts'
import { one, type SearchParams } from '../../search-params.ts'
import { FirstReads } from '../first-reads.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('overview')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/overview', searchParams)
  const days = periodOf(one((await searchParams).days))
  return (
    <FirstReads reads={{ [`/api/overview?days=${days}`]: overview, '/api/groups': groups }}>
      <OverviewPage />
    </FirstReads>
  )
}
