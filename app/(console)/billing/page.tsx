import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as billing from '#app/api/billing/route'
import { BillingPage } from '#components/billing/billing-page'
import type { SearchParams } from '../../search-params.ts'
import { Prefetch } from '../prefetch.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('billing')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/billing', searchParams)
  return (
    <Prefetch reads={{ '/api/billing': billing }}>
      <BillingPage />
    </Prefetch>
  )
}
