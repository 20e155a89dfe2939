'use client'
import { useTranslations } from 'next-intl'
import type { WebhookSecret } from '#lib/contracts/webhooks'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import { OnlyNow, SecretOnce } from '../ui/secret-once.tsx'

const EXAMPLE = `import { Webhook } from 'standardwebhooks'

// The body as it came: its bytes are what is signed.
const event = new Webhook(process.env.TOLLGATE_WEBHOOK_SECRET)
  .verify(await request.text(), Object.fromEntries(request.headers))`

interface Made {
  secret: string
  webhook: Pick<WebhookSecret['webhook'], 'oldSecretUntil'>
}

/** Shows the secret of an endpoint, which cannot be shown again. */
export function SecretDialog({ made, onClose }: { made: Made; onClose: () => void }) {
  const t = useTranslations('webhooks')
  return (
    <Dialog open once onOpenChange={onClose} title={t('secretTitle')}>
      <DialogBody>
        <OnlyNow>{made.webhook.oldSecretUntil === null ? t('onlyNow') : t('onlyNowOverlap')}</OnlyNow>
        <SecretOnce secret={made.secret} label={t('secret')} testId="webhook-secret">
          {t('copy')}
        </SecretOnce>
        <CodeBlock code={EXAMPLE} label={t('verify')} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{t('stored')}</Button>
      </DialogFoot>
    </Dialog>
  )
}
