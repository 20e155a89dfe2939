import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { BillingPage } from '#components/billing/billing-page'
import type { SearchParams } from '../../search-params.ts'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('billing')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/billing', searchParams)
  return <BillingPage />
}
