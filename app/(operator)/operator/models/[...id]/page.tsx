import type { Metadata } from 'next'
import { OperatorModelPage } from '#components/operator/models/model-page'
import { operatorModelPath } from '../../../../../components/operator/paths.ts'
import type { SearchParams } from '../../../../search-params.ts'
import { requireOperator } from '../../../require-operator.ts'

interface Props {
  params: Promise<{ id: string[] }>
  searchParams: SearchParams
}

const idOf = async ({ params }: Props): Promise<string> => (await params).id.map(decodeURIComponent).join('/')

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: await idOf(props) }
}

export default async function Page(props: Props) {
  const id = await idOf(props)
  await requireOperator(operatorModelPath(id), props.searchParams)
  return <OperatorModelPage id={id} />
}
