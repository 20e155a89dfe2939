import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ConnectionPage } from '#components/operator/connections/connection-page'
import type { SearchParams } from '../../../../search-params.ts'
import { requireOperator } from '../../../require-operator.ts'

interface Props {
  params: Promise<{ id: string }>
  searchParams: SearchParams
}

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('operator')
  return { title: t('connection') }
}

export default async function Page({ params, searchParams }: Props) {
  const id = decodeURIComponent((await params).id)
  await requireOperator(`/operator/connections/${encodeURIComponent(id)}`, searchParams)
  return <ConnectionPage id={id} />
}
