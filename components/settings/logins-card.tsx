'use client'
import { useTranslations } from 'next-intl'
import { z } from 'zod'
import type { Provider, Security } from '#lib/contracts/sign-in'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { useErrorText } from '../use-error-text.ts'
import { useFormat } from '../use-format.ts'

/** The providers that can sign in to this account, and how to add the others. */
export function LoginsCard({ data, onChanged }: { data: Security; onChanged: () => void }) {
  const t = useTranslations('security.logins')
  const names = useTranslations('signIn')
  const errorText = useErrorText()
  const format = useFormat()
  const all = [...new Set([...data.identities.map((identity) => identity.provider), ...data.providers])]
  if (all.length === 0) return null
  const disconnect = async (provider: Provider) => {
    try {
      await sendJson('POST', '/api/settings/identities/remove', z.unknown(), { provider })
      toast.success(t('disconnected', { provider: names(provider) }))
    } catch (error) {
      toast.error(errorText(error))
    }
    onChanged()
  }
  return (
    <Card>
      <CardHeader title={t('title')} />
      <p className="mt-1 text-second">{t('text')}</p>
      <ul className="mt-2 divide-y divide-line-soft">
        {all.map((provider) => {
          const identity = data.identities.find((each) => each.provider === provider)
          return (
            <li key={provider} className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5">
              <div className="min-w-0 flex-1 basis-52">
                <p className="font-medium">{names(provider)}</p>
                <p className="text-second text-sm">
                  {identity ? t('since', { date: format.date(identity.since) }) : t(data.emailVerified ? 'none' : 'unverified')}
                </p>
              </div>
              {identity && (
                <Button
                  size="small"
                  aria-label={t('disconnectNamed', { provider: names(provider) })}
                  onClick={() => void disconnect(provider)}
                >
                  {t('disconnect')}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
