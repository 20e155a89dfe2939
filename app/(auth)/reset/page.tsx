import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ResetForm } from '#components/auth/reset-form'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('signIn')
  return { title: t('resetTitle'), referrer: 'no-referrer' }
}

export default function Page() {
  return <ResetForm />
}
