import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as keys from '#app/api/keys/route'
import * as models from '#app/api/models/route'
import * as usage from '#app/api/usage/route'
import { UsagePage } from '#components/usage/usage-page'
import { readUsageParams, reportPath } from '../../../components/usage/usage-params.ts'
import { type SearchParams, toUrlSearchParams } from '../../search-params.ts'
import { Prefetch } from '../prefetch.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('usage')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/usage', searchParams)
  const report = reportPath(readUsageParams(toUrlSearchParams(await searchParams)))
  return (
    // The filters are as wide as their widest option, so their options are needed at the first paint.
    <Prefetch reads={{ [report]: usage, '/api/models': models, '/api/keys': keys }}>
      <UsagePage />
    </Prefetch>
  )
}
