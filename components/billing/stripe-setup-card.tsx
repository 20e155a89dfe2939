'use client'
import { useTranslations } from 'next-intl'
import { useMayChange } from '../operator/use-may-change.ts'
import { Card, CardHeader } from '../ui/card.tsx'
import { CodeBlock } from '../ui/code-block.tsx'

const START_COMMAND = 'STRIPE_SECRET_KEY=sk_live_... STRIPE_WEBHOOK_SECRET=whsec_... npm start'
const EVENTS = [
  'checkout.session.completed',
  'checkout.session.async_payment_succeeded',
  'checkout.session.async_payment_failed',
  'checkout.session.expired',
  'charge.succeeded',
  'charge.updated',
  'charge.refunded',
  'refund.created',
  'refund.updated',
  'refund.failed',
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.dispute.funds_withdrawn',
  'charge.dispute.funds_reinstated',
  'invoice.paid',
  'payment_intent.succeeded',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
  'setup_intent.succeeded',
  'payment_method.detached',
  'payment_method.updated',
  'payment_method.automatically_updated',
  'customer.deleted',
].join('\n')

/** Replaces the form while payments are not set up. Says what is left to do, and tells operators how. */
export function StripeSetupCard({ webhookUrl }: { webhookUrl: string }) {
  const t = useTranslations('billing')
  const mayChange = useMayChange()
  return (
    <Card className="min-w-0">
      <CardHeader title={t('notPayable')} />
      <p className="mt-1 max-w-prose text-second">{t(mayChange ? 'notPayableText' : 'notPayableHolder')}</p>
      {mayChange && (
        <div className="mt-4 flex flex-col gap-3">
          <CodeBlock code={START_COMMAND} label={t('setKeys')} />
          <CodeBlock code={webhookUrl} label={t('setWebhook')} />
          <CodeBlock code={EVENTS} label={t('setEvents')} />
        </div>
      )}
    </Card>
  )
}
