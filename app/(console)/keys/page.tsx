import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as keys from '#app/api/keys/route'
import { KeysPage } from '#components/keys/keys-page'
import { keysPath, readKeyFilters } from '../../../components/keys/address.ts'
import { asParams, type SearchParams } from '../../search-params.ts'
import { FirstReads } from '../first-reads.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('keys')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/keys', searchParams)
  const { GET } = keys
  const list = keysPath(readKeyFilters(asParams(await searchParams)))
  return (
    <FirstReads reads={{ [list]: { GET, paged: true } }}>
      <KeysPage />
    </FirstReads>
  )
}
