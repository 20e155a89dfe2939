import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { getTranslations } from 'next-intl/server'
import { ModelPage } from '#components/models/model-page'
import { modelPath } from '../../../../components/models/model-path.ts'
import { apiBaseUrl, catalog } from '../../catalog.ts'

interface Props {
  params: Promise<{ id: string[] }>
}

/** Finds a model by id and the groups that contain it. An unknown id is a page that does not exist. */
async function find(id: string) {
  const { rows, groups } = await catalog()
  const model = rows.find((row) => row.id === id)
  if (!model) notFound()
  return { model, groups: groups.filter((group) => group.models.includes(id)) }
}

export async function generateMetadata(props: Props): Promise<Metadata> {
  // Unlike the page's own params, these are already decoded.
  const { model } = await find((await props.params).id.join('/'))
  const t = await getTranslations('models')
  return { title: model.id, description: t('modelLead', { model: model.id }), alternates: { canonical: modelPath(model.id) } }
}

export default async function Page(props: Props) {
  const id = (await props.params).id.map(decodeURIComponent).join('/')
  return <ModelPage {...(await find(id))} baseUrl={await apiBaseUrl()} />
}
