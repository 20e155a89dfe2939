import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as webhooks from '#app/api/webhooks/route'
import { WebhooksPage } from '#components/webhooks/webhooks-page'
import type { SearchParams } from '../../../search-params.ts'
import { Prefetch } from '../../prefetch.tsx'
import { requireUser } from '../../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('settings.names')
  return { title: t('webhooks') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/settings/webhooks', searchParams)
  return (
    <Prefetch reads={{ '/api/webhooks': webhooks }}>
      <WebhooksPage />
    </Prefetch>
  )
}
