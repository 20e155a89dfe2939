import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { VerifyForm } from '#components/auth/verify-form'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('signIn')
  return { title: t('verifyTitle'), referrer: 'no-referrer' }
}

export default function Page() {
  return <VerifyForm />
}
