import type { Metadata } from 'next'
import { OperatorModelPage } from '#components/operator/models/model-page'
import { operatorModelPath } from '../../../../../components/operator/paths.ts'
import type { SearchParams } from '../../../../search-params.ts'
import { requireOperator } from '../../../require-operator.ts'

interface Props {
  params: Promise<{ id: string[] }>
  searchParams: SearchParams
}

export async function generateMetadata({ params }: Props): Promise<Metadata> {
  // Unlike the page's own params, these are already decoded.
  return { title: (await params).id.join('/') }
}

export default async function Page({ params, searchParams }: Props) {
  const id = (await params).id.map(decodeURIComponent).join('/')
  await requireOperator(operatorModelPath(id), searchParams)
  return <OperatorModelPage id={id} />
}
