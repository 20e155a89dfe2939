import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as keys from '#app/api/keys/route'
import { KeysPage } from '#components/keys/keys-page'
import { keysPath, readKeyFilters } from '../../../components/keys/key-filter-params.ts'
import { type SearchParams, toUrlSearchParams } from '../../search-params.ts'
import { Prefetch } from '../prefetch.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('keys')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/keys', searchParams)
  const { GET } = keys
  const list = keysPath(readKeyFilters(toUrlSearchParams(await searchParams)))
  return (
    <Prefetch reads={{ [list]: { GET, paged: true } }}>
      <KeysPage />
    </Prefetch>
  )
}
