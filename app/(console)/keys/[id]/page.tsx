import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { KeyPage } from '#components/keys/key-page'
import type { SearchParams } from '../../../search-params.ts'
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
  const { id } = await params
  await requireUser(`/keys/${encodeURIComponent(id)}`, searchParams)
  return <KeyPage id={decodeURIComponent(id)} />
}
