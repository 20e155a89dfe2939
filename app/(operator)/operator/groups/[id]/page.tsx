import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { GroupPage } from '#components/operator/groups/group-page'
import type { SearchParams } from '../../../../search-params.ts'
import { requireOperator } from '../../../require-operator.ts'

interface Props {
  params: Promise<{ id: string }>
  searchParams: SearchParams
}

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('operator')
  return { title: t('group') }
}

export default async function Page({ params, searchParams }: Props) {
  const id = decodeURIComponent((await params).id)
  await requireOperator(`/operator/groups/${encodeURIComponent(id)}`, searchParams)
  return <GroupPage id={id} />
}
