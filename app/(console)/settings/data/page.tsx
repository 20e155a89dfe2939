import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as closing from '#app/api/account/closing/route'
import { DataPage } from '#components/settings/data-page'
import type { SearchParams } from '../../../search-params.ts'
import { Prefetch } from '../../prefetch.tsx'
import { requireUser } from '../../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('settings.names')
  return { title: t('data') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/settings/data', searchParams)
  return (
    <Prefetch reads={{ '/api/account/closing': closing }}>
      <DataPage />
    </Prefetch>
  )
}
