'use client'
import { useTranslations } from 'next-intl'
import type { WebhookSecret } from '#lib/contracts/webhooks'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog, DialogBody, DialogFooter } from '../ui/dialog.tsx'
import { OneTimeSecret, ShownOnceNote } from '../ui/one-time-secret.tsx'

const EXAMPLE = `import { Webhook } from 'standardwebhooks'

// The body as it came: its bytes are what is signed.
const event = new Webhook(process.env.TOLLGATE_WEBHOOK_SECRET)
  .verify(await request.text(), Object.fromEntries(request.headers))`

interface RevealedSecret {
  secret: string
  webhook: Pick<WebhookSecret['webhook'], 'oldSecretUntil'>
}

/** Shows the secret of an endpoint, which cannot be shown again. */
export function SecretDialog({ made, onClose }: { made: RevealedSecret; onClose: () => void }) {
  const t = useTranslations('webhooks')
  return (
    <Dialog open once onOpenChange={onClose} title={t('secretTitle')}>
      <DialogBody>
        <ShownOnceNote>{made.webhook.oldSecretUntil === null ? t('onlyNow') : t('onlyNowOverlap')}</ShownOnceNote>
        <OneTimeSecret secret={made.secret} label={t('secret')} testId="webhook-secret">
          {t('copy')}
        </OneTimeSecret>
        <CodeBlock code={EXAMPLE} label={t('verify')} />
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{t('stored')}</Button>
      </DialogFooter>
    </Dialog>
  )
}
