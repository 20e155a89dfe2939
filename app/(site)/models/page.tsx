import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ModelsPage } from '#components/models/models-page'
import { catalog } from '../catalog.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('models')
  return { title: t('title'), description: t('lead'), alternates: { canonical: '/models' } }
}

export default async function Page() {
  return <ModelsPage initial={await catalog()} />
}
