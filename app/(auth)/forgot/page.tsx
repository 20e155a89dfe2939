import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ForgotForm } from '#components/auth/forgot-form'
import { signInOptions } from '../../api/sign-in-options.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('signIn')
  return { title: t('forgotTitle') }
}

export default async function Page() {
  const { mail } = await signInOptions()
  return <ForgotForm mail={mail} />
}
