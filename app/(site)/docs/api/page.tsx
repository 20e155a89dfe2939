import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ReferenceIndex } from '#components/docs/reference/reference-index'
import { operations } from '../docs.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('docs.reference')
  return { title: t('title'), description: t('lead'), alternates: { canonical: '/docs/api' } }
}

export default async function Page() {
  return <ReferenceIndex operations={await operations()} />
}
