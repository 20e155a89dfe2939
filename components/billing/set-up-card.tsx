'use client'
import { useTranslations } from 'next-intl'
import { Card, CardHead } from '../ui/card.tsx'
import { CodeBlock } from '../ui/code-block.tsx'

const START = 'STRIPE_SECRET_KEY=sk_live_... STRIPE_WEBHOOK_SECRET=whsec_... npm start'
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

/** Stands in place of the form while nothing can be paid: how an operator changes that. */
export function SetUpCard({ webhookUrl }: { webhookUrl: string }) {
  const t = useTranslations('billing')
  return (
    <Card>
      <CardHead title={t('notPayable')} />
      <p className="mt-1 max-w-prose text-second">{t('notPayableText')}</p>
      <div className="mt-4 flex flex-col gap-3">
        <CodeBlock code={START} label={t('setKeys')} />
        <CodeBlock code={webhookUrl} label={t('setWebhook')} />
        <CodeBlock code={EVENTS} label={t('setEvents')} />
      </div>
    </Card>
  )
}
