import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as security from '#app/api/settings/security/route'
import * as sessions from '#app/api/settings/sessions/route'
import { SecurityPage } from '#components/settings/security-page'
import type { SearchParams } from '../../../search-params.ts'
import { Prefetch } from '../../prefetch.tsx'
import { requireUser } from '../../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('settings.names')
  return { title: t('security') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/settings/security', searchParams)
  return (
    <Prefetch reads={{ '/api/settings/security': security, '/api/settings/sessions': sessions }}>
      <SecurityPage />
    </Prefetch>
  )
}
