import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as keys from '#app/api/keys/route'
import * as models from '#app/api/models/route'
import * as usage from '#app/api/usage/route'
import { UsagePage } from '#components/usage/usage-page'
import { readChoice, reportPath } from '../../../components/usage/address.ts'
import { asParams, type SearchParams } from '../../search-params.ts'
import { FirstReads } from '../first-reads.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('usage')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/usage', searchParams)
  const report = reportPath(readChoice(asParams(await searchParams)))
  return (
    // The filters are as wide as their widest option, so their options are needed at the first paint.
    <FirstReads reads={{ [report]: usage, '/api/models': models, '/api/keys': keys }}>
      <UsagePage />
    </FirstReads>
  )
}
