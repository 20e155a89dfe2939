import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as key from '#app/api/keys/[id]/route'
import { KeyPage } from '#components/keys/key-page'
import type { SearchParams } from '../../../search-params.ts'
import { Prefetch } from '../../prefetch.tsx'
import { requireUser } from '../../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('keys')
  return { title: t('key') }
}

interface PageProps {
  params: Promise<{ id: string }>
  searchParams: SearchParams
}

export default async function Page({ params, searchParams }: PageProps) {
  const id = decodeURIComponent((await params).id)
  await requireUser(`/keys/${encodeURIComponent(id)}`, searchParams)
  return (
    <Prefetch reads={{ [`/api/keys/${encodeURIComponent(id)}`]: { GET: key.GET, params: { id } } }}>
      <KeyPage id={id} />
    </Prefetch>
  )
}
